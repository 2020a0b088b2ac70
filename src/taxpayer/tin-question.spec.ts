import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TinOutcome } from '../authority/outcomes.js';
import { ValidationError } from '../errors/api-error.js';
import { buildNoVerdictError } from './taxpayer.service.js';
import { readTinCheckQuery, type TinQuery, findVerdictWithoutCall } from './tin-question.js';

const ID_VALUE_FORMAT =
  'idValue must be one id number: 1 to 20 printable characters for BRN, else 1 to 50 letters and digits';

/** Checks that each error has a hint. */
function catchErrors(query: TinQuery): unknown {
  try {
    return readTinCheckQuery('C25845632020', query);
  } catch (error) {
    if (!(error instanceof ValidationError)) return error;
    for (const { rule, hint } of error.problems) expect(hint, rule).toMatch(/./);
    return error.details().errors;
  }
}

describe('readTinCheckQuery', () => {
  it('normalises TIN and id', () => {
    expect(readTinCheckQuery(' c2584 5632020\u200B', { idType: 'nric', idValue: '880101-10-1234' })).toEqual({
      tin: 'C25845632020',
      id: { idType: 'NRIC', idValue: '880101101234' },
    });
  });

  it('only trims a BRN', () => {
    const { id } = readTinCheckQuery('C25845632020', { idType: 'BRN', idValue: ' PPM-001/10 12345.6 ' });
    expect(id).toEqual({ idType: 'BRN', idValue: 'PPM-001/10 12345.6' });
  });

  it('refuses an id of more than 200 characters without normalising it', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    onTestFinished(() => normalize.mockRestore());
    expect(catchErrors({ idType: 'BRN', idValue: '-'.repeat(201) })).toEqual([ID_VALUE_FORMAT]);
    expect(normalize).not.toHaveBeenCalled();
  });

  it('accepts either spelling of the parameters', () => {
    const id = { idType: 'BRN', idValue: '201901234567' };
    expect(readTinCheckQuery('C25845632020', { id_type: 'brn', id_value: '201901234567' }).id).toEqual(id);
    expect(readTinCheckQuery('C25845632020', { idType: 'BRN', id_value: '201901234567' }).id).toEqual(id);
    expect(readTinCheckQuery('C25845632020', { ...id, id_type: 'BRN', id_value: '201901234567' }).id).toEqual(id);
  });

  it('replaces full-width characters', () => {
    const idValue = '\uFF12\uFF10\uFF11\uFF1901234567';
    const { tin, id } = readTinCheckQuery('\uFF2325845632020', { idType: 'BRN', idValue });
    expect([tin, id]).toEqual(['C25845632020', { idType: 'BRN', idValue: '201901234567' }]);
  });

  it.each(['NA', '-', 'N/A', 'nil', '\uFF2E\uFF21', '\uFF0D', '\u2013', '000'])(
    'refuses %s, which is no number',
    (idValue) => {
      for (const idType of ['BRN', 'PASSPORT']) {
        const errors = catchErrors({ idType, idValue });
        if (idType === 'PASSPORT' && /^[-\uFF0D]$/.test(idValue)) expect(errors).toHaveLength(1);
        else
          expect(errors).toEqual(['idValue must be the number of the taxpayer, not NA or another text for no number']);
      }
    },
  );

  it('accepts the twelve zeros of a person who gave only a TIN', () => {
    const { id } = readTinCheckQuery('C25845632020', { idType: 'NRIC', idValue: '000000000000' });
    expect(id).toEqual({ idType: 'NRIC', idValue: '000000000000' });
  });

  it('accepts a TIN without an id', () => {
    expect(readTinCheckQuery('C25845632020', {})).toEqual({ tin: 'C25845632020', id: null });
  });

  it.each<[TinQuery, string[]]>([
    [{ idType: 'BRN' }, ['idValue is required together with idType']],
    [{ idValue: '201901234567' }, ['idType is required together with idValue']],
    [{ idType: 'SSM', idValue: '1' }, ['idType must be one of BRN, NRIC, PASSPORT, ARMY']],
    [{ idType: ['BRN', 'NRIC'], idValue: '1' }, ['idType must be one of BRN, NRIC, PASSPORT, ARMY']],
    [{ id_type: 'SSM', idValue: '1' }, ['id_type must be one of BRN, NRIC, PASSPORT, ARMY']],
    [{ idType: 'BRN', id_type: 'NRIC', idValue: '1' }, ['id_type must equal idType']],
    [{ idType: 'BRN', idValue: '1', id_value: '2' }, ['id_value must equal idValue']],
    [{ idType: 'BRN', idValue: '' }, [ID_VALUE_FORMAT]],
    [{ idType: 'BRN', idValue: '9'.repeat(21) }, [ID_VALUE_FORMAT]],
    [{ idType: 'BRN', idValue: '2019\u200B01234567' }, [ID_VALUE_FORMAT]],
    [{ idType: 'PASSPORT', idValue: 'a&b=c' }, [ID_VALUE_FORMAT]],
    [{ idType: 'PASSPORT', idValue: '9'.repeat(51) }, [ID_VALUE_FORMAT]],
    [{ idType: '', idValue: ['1', '2'] }, ['idType must be one of BRN, NRIC, PASSPORT, ARMY', ID_VALUE_FORMAT]],
  ])('refuses %j with every malformed parameter and its fix', (query, errors) => {
    expect(catchErrors(query)).toEqual(errors);
  });
});

describe('findVerdictWithoutCall', () => {
  it.each(['C1', 'hello', '', 'C2584563202O', 'ABC25845632020', 'C258456320201234'])(
    'returns malformed for %j',
    (tin) => {
      expect(findVerdictWithoutCall(tin)).toEqual({ valid: false, reason: 'malformed' });
    },
  );

  it.each(['EI00000000010', 'EI00000000020', 'EI00000000030', 'EI00000000040'])('returns general for %s', (tin) => {
    expect(findVerdictWithoutCall(tin)).toEqual({ valid: true, reason: 'general' });
  });

  it.each(['C25845632020', 'IG12345678912', 'EI00000000050'])('returns null for %s', (tin) => {
    expect(findVerdictWithoutCall(tin)).toBeNull();
  });
});

describe('buildNoVerdictError', () => {
  type NoVerdict = Exclude<TinOutcome, { kind: 'valid' } | { kind: 'invalid' }>;

  it.each<[NoVerdict, string, string]>([
    [{ kind: 'throttled', api: 'validateTin', retryAfterSeconds: 42 }, 'call_budget', '42'],
    [{ kind: 'not-appointed', errors: [] }, 'not_appointed', '60'],
    [{ kind: 'forbidden', errors: [] }, 'not_appointed', '60'],
    [{ kind: 'unauthorized' }, 'authority_unavailable', '10'],
    [{ kind: 'client-refused' }, 'authority_unavailable', '10'],
    [{ kind: 'unavailable', cause: 'edge', reason: 'x', retryAfterSeconds: 30 }, 'authority_unavailable', '30'],
    [{ kind: 'unavailable', cause: 'response', reason: 'x', retryAfterSeconds: null }, 'authority_unavailable', '10'],
  ])('converts %j to a 503 with Retry-After', (outcome, code, retryAfter) => {
    expect(buildNoVerdictError(outcome)).toMatchObject({ status: 503, code, headers: { 'Retry-After': retryAfter } });
  });
});
