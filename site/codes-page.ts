import type { Page } from './markdown.js';
import { readSource } from './sources.js';

interface CodeRow {
  readonly code: string;
  readonly description: string;
}

interface StateRow extends CodeRow {
  readonly slug: string;
  readonly slugAliases: readonly string[];
}

interface UnsupportedRow {
  readonly refersTo: string;
  readonly instead: string;
  readonly names: readonly string[];
}

/** Builds the page of the code lists. Only mentions the list of units, which has thousands of entries. */
export function buildCodesPage(): Page {
  const states = readList<StateRow>('state-codes').map(({ slug, slugAliases, description }) => {
    const names = [slug, ...slugAliases].map((name) => `\`${name}\``);
    return `- ${names.join(' or ')}: ${description}`;
  });
  const markdown = [
    '# Code lists',
    'Valid codes for the fields of a document. A code that is not in the list of its field is refused with 400 and a hint.',
    '## States',
    '`recipient.state`, in Malaysia. The service converts a slug to the code of the authority.',
    states.join('\n'),
    '## Tax types',
    '`lineItems[].taxType`',
    formatCodes('tax-types'),
    '## Classifications',
    '`lineItems[].classification`',
    formatCodes('classification-codes'),
    '## Units',
    '`lineItems[].unitCode`: codes of UN/ECE Recommendation 20 and 21, such as `C62` (one), `KGM` (kilogram), `HUR` (hour), ' +
      '`MTR` (metre) or `LTR` (litre).',
    '## General TINs',
    '`recipient.tin`, for a buyer without a TIN.',
    [
      '- `EI00000000010`: an individual in Malaysia, with their id',
      '- `EI00000000020`: a buyer abroad',
      '- `EI00000000040`: the government',
    ].join('\n'),
    '## Countries',
    '`recipient.country`: ISO 3166-1 alpha-3',
    formatCodes('country-codes'),
    '## Unsupported fields',
    'A field of the request, a document, a line or a buyer with one of these names, or nearly one, is refused as ' +
      '`unsupported_member`, unless its value changes nothing. The [rules](/docs/rules#unknown-and-repeated-fields) state how names are compared.',
    readList<UnsupportedRow>('unsupported-members').map(formatUnsupported).join('\n'),
  ];
  return { path: 'codes', title: 'Code lists', markdown: markdown.join('\n\n') };
}

function formatUnsupported({ refersTo, instead, names }: UnsupportedRow): string {
  return `- ${refersTo}: ${instead}. Names: ${names.map((name) => `\`${name}\``).join(', ')}`;
}

function formatCodes(list: string): string {
  return readList(list)
    .map(({ code, description }) => `- \`${code}\`: ${description}`)
    .join('\n');
}

function readList<Row = CodeRow>(list: string): Row[] {
  return JSON.parse(readSource(`src/documents/code-lists/${list}.json`)) as Row[];
}
