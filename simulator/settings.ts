import { ControlError } from './errors.js';

export type DuplicateRule = 'payloads' | 'documents';

/** Settings of the simulator. `settingRules` describes each one. */
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
  // Longer than the timeout of any caller, so that the caller always disconnects first.
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
  /** JSON Schema of the values that `accepts` allows. */
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
  expected: 'a non-empty string or null',
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
    means: 'Milliseconds after acceptance for which Get Submission responds with 404',
  },
  searchLagMs: { ...count, means: 'Milliseconds until Search and Recent list an accepted document' },
  duplicateRules: {
    expected: 'true, false, payloads or documents',
    schema: { enum: [true, false, 'payloads', 'documents'] },
    accepts: (value) => [true, false, 'payloads', 'documents'].includes(value as boolean | string),
    means:
      'Enforced duplicate rules: 10 minutes for `payloads` and 2 hours for `documents`; `true` enforces both, `false` none',
  },
  duplicatesOfInvalid: {
    ...flag,
    means: 'Whether the 2-hour rule counts earlier documents that became `Invalid`',
  },
  duplicateCode: {
    ...createChoiceRule('DS302', 'DV302'),
    means: "Error code of a duplicate; the authority's pages use both codes",
  },
  rateFactor: { ...count, means: 'Enforced share of the published call limits; 0 disables the limits' },
  latencyMs: { ...count, means: "Delay of every response of the authority's API, in milliseconds of real time" },
  lateAnswerMs: {
    ...count,
    means: 'Milliseconds of real time until a late response is sent or a slow body is complete',
  },
  tokenSeconds: { ...count, means: 'Lifetime of a token in seconds' },
  unknownParents: {
    ...createChoiceRule('invalid', 'accepted'),
    means: 'Outcome of a note whose parent is unknown to the simulator',
  },
  trustSelfSigned: {
    ...flag,
    means: '`false` rejects signatures with self-signed certificates, as the authority rejects unknown issuers',
  },
  checkTotals: {
    ...flag,
    means: 'Whether wrong sums make a document `Invalid`; the behaviour of the authority is not public',
  },
  retentionDays: {
    ...count,
    means: "Days until documents are deleted; the authority's sandbox deletes them after three months",
  },
  documentsMax: { ...count, means: 'Maximum number of stored documents; the oldest submissions are deleted first' },
  clientId: { ...textOrNull, means: 'The only client id that can log in; `null` accepts any client id' },
  clientSecret: { ...textOrNull, means: "The client's secret; `null` accepts any secret" },
  secondClientSecret: { ...textOrNull, means: 'Second accepted secret, for rotation' },
};

export const settingNames = Object.keys(settingRules) as (keyof SimulatorSettings)[];

/** Returns the changed settings. @throws ControlError if any change is invalid */
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
