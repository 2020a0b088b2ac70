import { format } from 'prettier';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildErrorBody } from '../../src/errors/error-body.js';
import { ERROR_CODES, type ErrorCode } from '../../src/errors/error-codes.js';
import { ERROR_EXAMPLES } from '../../site/error-examples.js';
import type { RecordedResponse } from '../../site/error-pages.js';
import { startFileService } from '../support/file-service.js';
import { type ApiResponse } from '../support/client.js';
import { NOT_SENT, OTHER_SERVICES, type Scene, SCENES, sendExample, stage } from './error-scenes.js';

// Sends the requests on the error code pages. `--update` records the responses in site/error-responses.json.

const service = await startFileService({ environment: { DATABASE_POOL_SIZE: '6' } });

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
const TIMESTAMP = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g;
const EXAMPLE_TIMESTAMP = '2026-01-31T08:00:00.000Z';
const EXAMPLE_SECONDS = '12';
// The Retry-After of these codes depends on the time of the request.
const PASSING: readonly string[] = ['rate_limited', 'call_budget', 'not_appointed', 'authority_unavailable'];

/** Replaces ids, timestamps and elapsed seconds, which differ between runs. Omits fields common to all errors. */
function toRecord(code: string, { headers, text }: ApiResponse): RecordedResponse {
  const ids = [...new Set(text.match(UUID))];
  const seconds = headers.get('retry-after');
  const isPassing = PASSING.includes(code);
  const stable = text
    .replaceAll(UUID, (id) => `019a8b5e-7c1f-7000-8000-00000000000${ids.indexOf(id) + 1}`)
    .replaceAll(TIMESTAMP, EXAMPLE_TIMESTAMP)
    .replace(isPassing ? /\bin \d+ seconds?/ : '', isPassing ? `in ${EXAMPLE_SECONDS} seconds` : '');
  const body = JSON.parse(stable) as { message: string; requestId: string };
  const { message, requestId, ...others } = body;
  const members = Object.fromEntries(Object.entries(others).filter(([name]) => name !== 'code' && name !== 'helpUrl'));
  // The page builds the whole body from the recorded fields.
  expect(JSON.stringify(buildErrorBody({ message, code, requestId }, members))).toBe(JSON.stringify(body));
  return {
    ...(seconds === null ? {} : { retryAfter: isPassing ? EXAMPLE_SECONDS : seconds }),
    message,
    ...(Object.keys(members).length === 0 ? {} : { members }),
  };
}

async function prepare(code: string): Promise<Scene> {
  const start = OTHER_SERVICES[code as ErrorCode];
  if (start === undefined) return stage(code, service);
  const scene = await start();
  onTestFinished(() => scene.service.stop());
  return scene;
}

describe('examples on the error pages', () => {
  const recorded: Record<string, RecordedResponse> = {};
  const sendable = Object.entries(ERROR_EXAMPLES).filter(([code]) => !(code in NOT_SENT));

  it('cover every error code except those with a documented reason', () => {
    const prepared = Object.keys({ ...SCENES, ...OTHER_SERVICES });
    expect(prepared.filter((code) => code in NOT_SENT)).toEqual([]);
    expect(sendable.length).toBe(Object.keys(ERROR_CODES).length - Object.keys(NOT_SENT).length);
    expect(Object.keys(NOT_SENT).length).toBeLessThanOrEqual(5);
  });

  it.each(sendable)(
    'return %s for the first request and accept the corrected request',
    async (code, { given = [], before, after }) => {
      const scene = await prepare(code);
      const { meet = (request) => sendExample(scene, request), change } = scene;
      for (const request of given) expect(await sendExample(scene, request)).toMatchObject({ status: 200 });
      try {
        const refused = await meet(before);
        expect(refused.body, refused.text).toMatchObject({ code, helpUrl: `/docs/errors/${code}` });
        expect(refused.status).toBe(ERROR_CODES[code as ErrorCode].status);
        recorded[code] = toRecord(code, refused);
      } finally {
        await change?.();
      }
      const accepted = await sendExample(scene, after);
      expect([200, 202], accepted.text).toContain(accepted.status);
    },
  );

  it('show the responses that the service returns', async () => {
    const written = await format(JSON.stringify(recorded), { parser: 'json', printWidth: 120 });
    await expect(written).toMatchFileSnapshot('../../site/error-responses.json');
  });
});
