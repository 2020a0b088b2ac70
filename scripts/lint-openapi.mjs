// Checks the API descriptions against the recommended rules of Redocly and Spectral. It uses their core packages,
// because their command-line programs access the network, send telemetry and have a hundred dependencies.
import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

const FILES = ['openapi.json', 'simulator/openapi.json'];

const redocly = await createConfig({ extends: ['recommended'] });
const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [spectralRulesets.oas] });

async function lint(file) {
  const source = await readFile(file, 'utf8');
  const byRedocly = await lintFromString({ source, absoluteRef: file, config: redocly });
  const bySpectral = await spectral.run(JSON.parse(source));
  return [
    ...byRedocly.map(({ ruleId, message, location: [first] }) => `Redocly ${ruleId} ${first?.pointer}: ${message}`),
    ...bySpectral.map(({ code, message, path }) => `Spectral ${code} ${path.join('/')}: ${message}`),
  ].map((problem) => `${file} ${problem}`);
}

const found = (await Promise.all(FILES.map(lint))).flat();
for (const problem of found) console.error(problem);
console.log(`${FILES.join(' and ')}: ${found.length} findings of the rules that Redocly and Spectral recommend`);
process.exitCode = found.length === 0 ? 0 : 1;
