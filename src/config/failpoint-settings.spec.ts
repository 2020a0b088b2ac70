import { describe, expect, it } from 'vitest';
import { FAILPOINTS } from '../common/failpoints/failpoints.js';
import { readConfiguration } from './configuration.js';
import { SettingsError } from './settings-reader.js';

function armedBy(value: string, environment: Record<string, string> = {}): Record<string, string> {
  const settings = { DATABASE_OWNER_URL: 'postgres://localhost/a', FAILPOINT: value, ...environment };
  return Object.fromEntries(readConfiguration('operator', settings).failpoints);
}

function catchProblems(value: string, environment: Record<string, string> = {}): readonly string[] {
  try {
    armedBy(value, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('FAILPOINT', () => {
  it('reads failpoints with their modes, separated by commas', () => {
    expect(armedBy('dispatch.after_claim:kill')).toEqual({ 'dispatch.after_claim': 'kill' });
    expect(armedBy('poll.before_settle:hang, call.after_getSubmission:throw')).toEqual({
      'poll.before_settle': 'hang',
      'call.after_getSubmission': 'throw',
    });
  });

  it('arms no failpoint if it is empty', () => {
    expect(armedBy('')).toEqual({});
    expect(armedBy(' ', { NODE_ENV: 'production' })).toEqual({});
  });

  it('is rejected in production', () => {
    expect(catchProblems('dispatch.after_claim:kill', { NODE_ENV: 'production' })).toEqual([
      'FAILPOINT makes the process fail on purpose: it must not be set with NODE_ENV=production',
    ]);
  });

  it('rejects an unknown failpoint and lists the valid ones', () => {
    const [problem, ...others] = catchProblems('dispatch.after_clam:kill');
    expect(others).toEqual([]);
    expect(problem).toMatch(/^FAILPOINT names "dispatch\.after_clam", which is none of /);
    for (const failpoint of FAILPOINTS) expect(problem).toContain(failpoint);
  });

  it.each(['dispatch.after_claim', 'dispatch.after_claim:', 'dispatch.after_claim:die', 'dispatch.after_claim:kill:2'])(
    'rejects a missing or unknown mode: %s',
    (value) => {
      expect(catchProblems(value)).toEqual([
        `FAILPOINT must be NAME:MODE with a mode of kill, throw, hang, not "${value}"`,
      ]);
    },
  );
});
