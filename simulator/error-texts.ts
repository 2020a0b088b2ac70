import { readFileSync } from 'node:fs';

export interface ErrorText {
  code: string;
  /** The validation step that reports the code. */
  step: number;
  text: string;
  path?: string;
}

const errorTexts = JSON.parse(
  readFileSync(new URL('./code-lists/error-texts.json', import.meta.url), 'utf8'),
) as ErrorText[];

const stepByPrefix: Record<string, number> = { CF: 2, DV: 3, CV: 4, ERR: 5, DR: 6, DC: 7, DS: 8 };
const schemaStep = 1;

/** Returns the text and step of a code. The step of an undocumented code follows from its prefix. */
export function findErrorText(code: string): ErrorText {
  const known = errorTexts.find((entry) => entry.code === code);
  const [prefix = ''] = /^[A-Z]+/.exec(code) ?? [];
  return known ?? { code, step: stepByPrefix[prefix] ?? schemaStep, text: `Validation error ${code}` };
}
