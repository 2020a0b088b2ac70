import { ControlError } from './errors.js';

export type DuplicateRule = 'payloads' | 'documents';

/** What each of them means is in `settingRules`. */
export interface SimulatorSettings {
  validationDelayMs: number;
  visibilityDelayMs: number;
  searchLagMs: number;
  duplicateRules: boolean | DuplicateRule;
  duplicatesOfInvalid: boolean;
  duplicateCode: string;
  rateFactor: number;
  latencyMs: number;
  lateAnswerMs: number;
  tokenSeconds: number;
  unknownParents: string;
  trustSelfSigned: boolean;
  checkTotals: boolean;
  retentionDays: number;
  documentsMax: number;
  clientId: string | null;
  clientSecret: string | null;
  secondClientSecret: string | null;
}

export const defaultSettings: Readonly<SimulatorSettings> = {
  validationDelayMs: 2000,
  visibilityDelayMs: 1500,
  searchLagMs: 0,
  duplicateRules: true,
  duplicatesOfInvalid: true,
  duplicateCode: 'DS302',
  rateFactor: 0,
  latencyMs: 0,
  // Longer than any sensible deadline of a caller; the caller hangs up first.
  lateAnswerMs: 90_000,
  tokenSeconds: 3600,
  unknownParents: 'invalid',
  trustSelfSigned: true,
  checkTotals: false,
  retentionDays: 90,
  documentsMax: 200_000,
  clientId: null,
  clientSecret: null,
  secondClientSecret: null,
};

interface ValueRule {
  expected: string;
  /** The same as JSON Schema, for the description of the control calls. */
  schema: object;
  accepts(value: unknown): boolean;
}

interface SettingRule extends ValueRule {
  means: string;
}

const count: ValueRule = {
  expected: 'a number that is not negative',
  schema: { type: 'number', minimum: 0 },
  accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
};
const flag: ValueRule = {
  expected: 'true or false',
  schema: { type: 'boolean' },
  accepts: (value) => typeof value === 'boolean',
};
const textOrNull: ValueRule = {
  expected: 'a non-empty text or null',
  schema: { type: ['string', 'null'], minLength: 1 },
  accepts: (value) => value === null || (typeof value === 'string' && value !== ''),
};
const createChoiceRule = (...values: string[]): ValueRule => ({
  expected: `one of ${values.join(', ')}`,
  schema: { type: 'string', enum: values },
  accepts: (value) => typeof value === 'string' && values.includes(value),
});

export const settingRules: Record<keyof SimulatorSettings, SettingRule> = {
  validationDelayMs: {
    ...count,
    means: 'Milliseconds from acceptance to `Valid` or `Invalid`, read when the document is accepted',
  },
  visibilityDelayMs: {
    ...count,
    means: 'Milliseconds for which Get Submission responds with 404 after a submission was accepted',
  },
  searchLagMs: { ...count, means: 'Milliseconds for which Search and Recent lack an accepted document' },
  duplicateRules: {
    expected: 'true, false, payloads or documents',
    schema: { enum: [true, false, 'payloads', 'documents'] },
    accepts: (value) => [true, false, 'payloads', 'documents'].includes(value as boolean | string),
    means: 'The 10-minute rule on payloads, the 2-hour rule on documents; `true` is both, `false` none',
  },
  duplicatesOfInvalid: {
    ...flag,
    means: 'Whether the 2-hour rule counts earlier documents that became `Invalid`',
  },
  duplicateCode: {
    ...createChoiceRule('DS302', 'DV302'),
    means: 'The code of a duplicate: the pages of the authority print both',
  },
  rateFactor: { ...count, means: 'Share of the published call limits that is enforced; 0 enforces none' },
  latencyMs: { ...count, means: 'Milliseconds that every response of the authority takes, in real time' },
  lateAnswerMs: {
    ...count,
    means: 'Milliseconds after which a late response is sent, and a slow body is complete, in real time',
  },
  tokenSeconds: { ...count, means: 'Life of a token in seconds' },
  unknownParents: {
    ...createChoiceRule('invalid', 'accepted'),
    means: 'What becomes of a note whose parent the simulator never saw',
  },
  trustSelfSigned: {
    ...flag,
    means:
      '`false` finds a signature with a self-signed certificate invalid, as the authority does with unknown issuers',
  },
  checkTotals: {
    ...flag,
    means: 'Whether sums that do not add up make a document `Invalid`; what the authority does is not public',
  },
  retentionDays: {
    ...count,
    means: 'Days for which documents are kept; the sandbox of the authority deletes after three months',
  },
  documentsMax: { ...count, means: 'How many documents are kept: older submissions are forgotten first' },
  clientId: { ...textOrNull, means: 'The only client id that can log in; `null` accepts any text' },
  clientSecret: { ...textOrNull, means: 'Its secret; `null` accepts any text' },
  secondClientSecret: { ...textOrNull, means: 'A second secret that is also accepted, for a rotation' },
};

export const settingNames = Object.keys(settingRules) as (keyof SimulatorSettings)[];

/** Gives the new settings, or refuses all the changes because of one. */
export function changeSettings(current: SimulatorSettings, changes: Record<string, unknown>): SimulatorSettings {
  for (const [name, value] of Object.entries(changes)) {
    const rule = settingNames.find((known) => known === name);
    if (!rule) throw new ControlError(`Unknown setting "${name}". Known settings: ${settingNames.join(', ')}.`);
    if (!settingRules[rule].accepts(value)) {
      throw new ControlError(`Setting "${name}" must be ${settingRules[rule].expected}.`);
    }
  }
  return { ...current, ...changes };
}

export function hasDuplicateRule({ duplicateRules }: SimulatorSettings, rule: DuplicateRule): boolean {
  return duplicateRules === true || duplicateRules === rule;
}
