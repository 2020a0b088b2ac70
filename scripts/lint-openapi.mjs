// Redocly's and Spectral's recommended rules over openapi.json: no error and no warning. Their cores, not their programs,
// which would bring the network, telemetry and a hundred packages along.
import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

const FILE = 'openapi.json';
const source = await readFile(FILE, 'utf8');

async function lintWithRedocly() {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: FILE, config });
  return problems.map(({ ruleId, message, location: [place] }) => `${ruleId} ${place?.pointer}: ${message}`);
}

async function lintWithSpectral() {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [spectralRulesets.oas] });
  const problems = await spectral.run(JSON.parse(source));
  return problems.map(({ code, message, path }) => `${code} ${path.join('/')}: ${message}`);
}

const found = [
  ...(await lintWithRedocly()).map((problem) => `Redocly ${problem}`),
  ...(await lintWithSpectral()).map((problem) => `Spectral ${problem}`),
];
for (const problem of found) console.error(problem);
console.log(`${FILE}: ${found.length} findings of the rules that Redocly and Spectral recommend`);
process.exitCode = found.length === 0 ? 0 : 1;
