/* One step of seed 000, eq. 4, as plainly as C allows: the yardstick of `pliant bench approximate`.
   Same columns, same precision, same two passes as pliant/integrators/approximate.py.
   cc -O3 -march=native -fopenmp -shared -fPIC */
#include <math.h>
#include <stdint.h>
#include <omp.h>

void set_threads(int count) { omp_set_num_threads(count); }

void step(int64_t n, double h, const uint32_t *start, const uint32_t *other, const double *weight, const double *k,
          const double *rest, const double *w, const double *f, double *x, double *v, double *b, double *y,
          double *share) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++) {
      const double px = x[3 * i], py = x[3 * i + 1], pz = x[3 * i + 2];
      const double qx = v[3 * i], qy = v[3 * i + 1], qz = v[3 * i + 2];
      double bx = h * f[3 * i], by = h * f[3 * i + 1], bz = h * f[3 * i + 2], mass = 0.0;
      for (uint32_t s = start[i]; s < start[i + 1]; s++) {
        const int64_t j = 3 * (int64_t)other[s];
        const double dx = x[j] - px, dy = x[j + 1] - py, dz = x[j + 2] - pz;
        const double pull = h * k[s] * (1.0 - rest[s] / sqrt(dx * dx + dy * dy + dz * dz)), a = weight[s];
        bx += pull * dx + a * (v[j] - qx);
        by += pull * dy + a * (v[j + 1] - qy);
        bz += pull * dz + a * (v[j + 2] - qz);
        mass += a;
      }
      const double g = w[i] > 0.0 ? 1.0 / (1.0 / w[i] + mass) : 0.0;
      share[i] = g;
      b[3 * i] = bx, b[3 * i + 1] = by, b[3 * i + 2] = bz;
      y[3 * i] = g * bx, y[3 * i + 1] = g * by, y[3 * i + 2] = g * bz;
    }
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++) {
      double bx = b[3 * i], by = b[3 * i + 1], bz = b[3 * i + 2];
      for (uint32_t s = start[i]; s < start[i + 1]; s++) {
        const int64_t j = 3 * (int64_t)other[s];
        const double a = weight[s];
        bx += a * y[j], by += a * y[j + 1], bz += a * y[j + 2];
      }
      const double g = share[i];
      v[3 * i] += g * bx, v[3 * i + 1] += g * by, v[3 * i + 2] += g * bz;
      x[3 * i] += h * v[3 * i], x[3 * i + 1] += h * v[3 * i + 1], x[3 * i + 2] += h * v[3 * i + 2];
    }
  }
}

void copy(int64_t n, const double *from, double *to) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; i++) to[i] = from[i];
}
