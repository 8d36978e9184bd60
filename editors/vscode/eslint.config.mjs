import js from "@eslint/js";
import typescript from "typescript-eslint";

export default typescript.config(js.configs.recommended, ...typescript.configs.recommended, {
  files: ["src/**/*.ts"],
  rules: {
    eqeqeq: "error",
    "max-lines": ["error", 600],
    "max-lines-per-function": ["error", { max: 70, skipBlankLines: true, skipComments: true }],
    "no-console": "error",
  },
});
