// node gltf_validate.js FILE…: the Khronos validator's verdict on each file as one JSON array on standard output
const fs = require("fs");
const validator = require("gltf-validator");

(async () => {
  const verdicts = [];
  for (const file of process.argv.slice(2)) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
    const { numErrors, numWarnings, messages } = report.issues;
    verdicts.push({ file, errors: numErrors, warnings: numWarnings, messages: messages.filter((m) => m.severity < 2) });
  }
  console.log(JSON.stringify(verdicts));
})();
