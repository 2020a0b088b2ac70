import { readFileSync } from 'node:fs';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCancelBody } from '../../src/cancellation/cancel-body.js';
import { removeInvisible } from '../../src/http/validation/text.js';
import { NOW } from '../../src/submission/submit-body.fixtures.js';
import { readSubmitBody } from '../../src/submission/submit-body.js';
import type { Problem } from '../../src/errors/problem.js';
import { isJsonObject } from '../../src/http/validation/shape.js';
import { submitBody } from '../errors/fuzz-bodies.js';
import { countRuns, RANDOM_SEED } from '../support/random.js';
import {
  BEYOND_A_SCHEMA,
  CANCEL_ACCEPTED,
  CANCEL_REFUSED,
  CANCEL_REFUSED_BY_SERVICE,
  OTHER_SPELLINGS,
  SUBMIT_ACCEPTED,
  SUBMIT_REFUSED,
  SUBMIT_REFUSED_BY_SERVICE,
} from './schema-corpus.js';

// A client can validate requests against openapi.json without rejecting valid ones.

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as object, 'openapi');

function compileBody(path: string): (body: unknown) => boolean {
  const pointer = `/paths/${path.replaceAll('/', '~1')}/post/requestBody/content/application~1json/schema`;
  const validate: (body: unknown) => unknown = ajv.compile({ $ref: `openapi#${pointer}` });
  return (body) => validate(body) as boolean;
}

function listBrokenSubmitRules(body: unknown, now = NOW): string[] {
  const read = readSubmitBody(body, now);
  return 'problems' in read ? read.problems.map(nameRule) : [];
}

function listBrokenCancelRules(body: unknown): string[] {
  const read = readCancelBody(body, { isStrict: false });
  return 'problems' in read ? read.problems.map(nameRule) : [];
}

function nameRule({ rule, pointer }: Problem): string {
  return OTHER_SPELLINGS.test(pointer) ? 'other_spelling' : rule;
}

const BEYOND = new Set(BEYOND_A_SCHEMA.flatMap(({ rules }) => rules));
const isRefusedByShape = (broken: readonly string[]): boolean => broken.some((rule) => !BEYOND.has(rule));

/** Returns whether a text has surrounding whitespace or only looks empty, which a schema does not detect. */
function withoutBlanks(value: unknown): unknown {
  if (typeof value === 'string') return removeInvisible(value).trim();
  if (Array.isArray(value)) return value.map(withoutBlanks);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBlanks(member)] as const));
}

describe.each([
  {
    operation: 'submit',
    isValid: compileBody('/v1/einvoice/submit'),
    listBroken: listBrokenSubmitRules,
    accepted: SUBMIT_ACCEPTED,
    refused: SUBMIT_REFUSED,
    refusedByService: SUBMIT_REFUSED_BY_SERVICE,
  },
  {
    operation: 'cancel',
    isValid: compileBody('/v1/einvoice/cancel'),
    listBroken: listBrokenCancelRules,
    accepted: CANCEL_ACCEPTED,
    refused: CANCEL_REFUSED,
    refusedByService: CANCEL_REFUSED_BY_SERVICE,
  },
])('schema of $operation', ({ isValid, listBroken, accepted, refused, refusedByService }) => {
  it.each(Object.entries(accepted))('accepts %s', (_, body) => {
    expect(listBroken(body)).toEqual([]);
    expect(isValid(body)).toBe(true);
  });

  it.each(Object.entries(refused))('rejects %s', (_, body) => {
    expect(listBroken(body)).not.toEqual([]);
    expect(isValid(body)).toBe(false);
  });

  it.each(Object.entries(refusedByService))('accepts %s, which only the service rejects', (_, body) => {
    const broken = listBroken(body);
    expect(broken).not.toEqual([]);
    expect(broken.filter((rule) => !BEYOND.has(rule))).toEqual([]);
    expect(isValid(body)).toBe(true);
  });
});

it(`schema agrees with the service on any submit body (RANDOM_SEED=${RANDOM_SEED})`, () => {
  const isValid = compileBody('/v1/einvoice/submit');
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(submitBody().map(withoutBlanks), (body) => {
      const broken = listBrokenSubmitRules(body, new Date());
      if (broken.length === 0) expect(isValid(body), JSON.stringify(body)).toBe(true);
      if (isRefusedByShape(broken)) expect(isValid(body), `${broken.join()} ${JSON.stringify(body)}`).toBe(false);
      seen[broken.length === 0 ? 'accepted' : 'refused'] += 1;
    }),
    { seed: RANDOM_SEED, numRuns: countRuns(1_000) },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
});

describe.each(BEYOND_A_SCHEMA)('rule that a schema cannot express ($reason)', ({ rules }) => {
  it('is violated by a body in the corpus', () => {
    const broken = [
      ...Object.values(SUBMIT_REFUSED_BY_SERVICE).flatMap((body) => listBrokenSubmitRules(body)),
      ...Object.values(CANCEL_REFUSED_BY_SERVICE).flatMap((body) => listBrokenCancelRules(body)),
    ];
    expect(broken.filter((rule) => rules.includes(rule))).not.toEqual([]);
  });
});
