// Checks the committed code lists and states their sources.
//
//   node scripts/code-lists.mjs              checks the committed lists; exit code 1 when one is wrong
//   node scripts/code-lists.mjs --against D  compares them with the authority's files, downloaded into the folder D
//
// The script does not download the lists, because a build must not depend on the authority's site. For a refresh by
// hand, see src/documents/code-lists/README.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OFFICIAL_SITE = 'https://sdk.myinvois.hasil.gov.my/files/';

/** `count` is the number of codes that the authority had published by mid 2026. `code` is the format of the codes. */
const LISTS = [
  { name: 'state-codes', official: 'StateCodes.json', count: 17, code: /^(?:0[1-9]|1[0-7])$/ },
  { name: 'tax-types', official: 'TaxTypes.json', count: 7, code: /^(?:0[1-6]|E)$/ },
  { name: 'classification-codes', official: 'ClassificationCodes.json', count: 45, code: /^\d{3}$/ },
  // The official file contains one row twice.
  { name: 'msic-codes', official: 'MSICSubCategoryCodes.json', count: 1175, code: /^\d{5}$/ },
  { name: 'unit-types', official: 'UnitTypes.json', count: 2163, code: /^[0-9A-Z]{2,3}$/ },
  { name: 'country-codes', official: 'CountryCodes.json', count: 253, code: /^[A-Z]{3}$/ },
];

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function problemsOf({ name, count, code }) {
  const rows = readJson(join(ROOT, 'src/documents/code-lists', `${name}.json`));
  const codes = rows.map((row) => row.code);
  // The simulator has its own copy, because it shares no code with the service.
  const simulated = readJson(join(ROOT, 'simulator/code-lists', `${name}.json`));
  const only = (these, those) => these.filter((one) => !those.includes(one));
  const apart = [...only(codes, simulated), ...only(simulated, codes)];
  return [
    ...(codes.length === count ? [] : [`has ${codes.length} rows instead of ${count}`]),
    ...codes
      .filter((one, index) => index > 0 && codes[index - 1] >= one)
      .map((one) => `has ${one} at a wrong position`),
    ...codes.filter((one) => !code.test(one)).map((one) => `has a malformed code: ${one}`),
    ...rows.filter(({ description }) => !description?.trim()).map((row) => `has no description of ${row.code}`),
    ...(apart.length === 0 ? [] : [`differs from the simulator's copy: ${apart.slice(0, 5).join(', ')}`]),
  ];
}

function differencesFrom(folder, { name, official }) {
  const theirs = new Set(readJson(join(folder, official)).map((row) => officialCodeOf(row, official)));
  const ours = new Set(readJson(join(ROOT, 'src/documents/code-lists', `${name}.json`)).map((row) => row.code));
  const added = [...theirs].filter((code) => !ours.has(code)).map((code) => `lacks ${code}`);
  return [...added, ...[...ours].filter((code) => !theirs.has(code)).map((code) => `has ${code}, which is gone`)];
}

function officialCodeOf(row, official) {
  const code = row.Code ?? row.code;
  if (typeof code !== 'string') throw new Error(`${official}: a row without Code, ${JSON.stringify(row)}`);
  return code.trim();
}

const [option, folder] = process.argv.slice(2);
if (option !== undefined && (option !== '--against' || folder === undefined)) {
  console.error('Usage: node scripts/code-lists.mjs [--against FOLDER]');
  process.exit(2);
}
let isWrong = false;
for (const list of LISTS) {
  const problems = option === undefined ? problemsOf(list) : differencesFrom(folder, list);
  isWrong ||= problems.length > 0;
  const verdict = problems.length === 0 ? 'correct' : problems.join('; ');
  console.log(`${list.name}.json (${list.count} rows, from ${OFFICIAL_SITE}${list.official}): ${verdict}`);
}
process.exitCode = isWrong ? 1 : 0;
