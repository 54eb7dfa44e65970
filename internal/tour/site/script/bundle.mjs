// bundle writes ../static/tour.js, and beside it the licences of the packages that are in it. It refuses a
// package with another licence than MIT's, ISC's or a BSD licence.
import { build } from "esbuild";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

const allowed = ["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause"];
const { metafile } = await build({
  entryPoints: ["main.js"], bundle: true, minify: true, format: "iife", target: "es2022", legalComments: "none",
  outfile: process.argv[2] ?? "../static/tour.js", metafile: true,
});
const packages = new Set(Object.keys(metafile.inputs).map((f) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(f)?.[1]).filter(Boolean));
const texts = [...packages].sort().map((name) => {
  const dir = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${dir}/package.json`, "utf8"));
  if (!allowed.includes(license)) throw new Error(`${name} has the licence ${license}; allowed are ${allowed.join(", ")}`);
  const file = readdirSync(dir).find((f) => /^licen[cs]e/i.test(f));
  if (!file || !existsSync(`${dir}/${file}`)) throw new Error(`${name} has no file with its licence`);
  return `${name} ${version}\n\n${readFileSync(`${dir}/${file}`, "utf8").trim()}\n`;
});
writeFileSync(process.argv[3] ?? "../static/licences.txt", `tour.js contains these packages.\n\n${texts.join("\n\n")}`);
