// Plays a vertex-animation texture in Unity (built-in pipeline). Import both pictures with sRGB off, no compression,
// no mipmaps, point filter, non-power-of-two "None". Unity has row 0 at the bottom and is left-handed: both are turned here.
Shader "Pliant/VertexTexture"
{
    Properties
    {
        _Position ("Position", 2D) = "black" {}
        _Normal ("Normal", 2D) = "bump" {}
        _Low ("Low", Vector) = (0, 0, 0, 0)
        _High ("High", Vector) = (1, 1, 1, 0)
        _Frames ("Frames", Int) = 1
        _RowsPerFrame ("Rows per frame", Int) = 1
        _Fps ("Frames per second", Float) = 60
        _Color ("Color", Color) = (0.8, 0.3, 0.25, 1)
    }
    SubShader
    {
        Tags { "RenderType" = "Opaque" }
        Cull Off

        CGPROGRAM
        #pragma surface surf Standard vertex:vert addshadow
        #pragma target 3.5

        Texture2D _Position;
        Texture2D _Normal;
        float4 _Low, _High;
        int _Frames, _RowsPerFrame;
        float _Fps;
        fixed4 _Color;

        struct Input { float facing : VFACE; };

        float3 place(int column, int row)
        {
            int height = _Frames * _RowsPerFrame;
            float3 upper = round(_Position.Load(int3(column, 2 * height - 1 - row, 0)).rgb * 255.0);
            float3 lower = round(_Position.Load(int3(column, height - 1 - row, 0)).rgb * 255.0);
            return _Low.xyz + (_High.xyz - _Low.xyz) * (upper * 256.0 + lower) / 65535.0;
        }

        void vert(inout appdata_full v)
        {
            uint width, rows;
            _Position.GetDimensions(width, rows);
            int column = (int)(v.texcoord1.x * width);
            int within = (int)(1.5 - v.texcoord1.y);  // importers of glTF turn v over: 1 - v
            float moment = fmod(_Time.y * _Fps, (float)_Frames);
            int frame = (int)moment;
            int row = frame * _RowsPerFrame + within;
            int next = min(frame + 1, _Frames - 1) * _RowsPerFrame + within;
            float3 p = lerp(place(column, row), place(column, next), frac(moment));
            float3 n = _Normal.Load(int3(column, _Frames * _RowsPerFrame - 1 - row, 0)).rgb * 2.0 - 1.0;
            v.vertex.xyz = float3(-p.x, p.y, p.z);
            v.normal = normalize(float3(-n.x, n.y, n.z));
        }

        void surf(Input IN, inout SurfaceOutputStandard o)
        {
            o.Albedo = _Color.rgb;
            o.Normal = float3(0, 0, IN.facing > 0 ? 1 : -1);
        }
        ENDCG
    }
}
