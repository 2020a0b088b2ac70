import { type Answer, emptyAnswer } from './answers.js';
import { apiError, badArgument } from './errors.js';
import type { AuthorizedRequest } from './requests.js';
import { tinPattern } from './ubl.js';
import type { World } from './world.js';

const idTypes = ['NRIC', 'PASSPORT', 'BRN', 'ARMY'];
const idValuePattern = /^[A-Za-z0-9-]{1,20}$/;

/** There is no register behind it: the end of the id value decides (D20). */
export function validateTin(_world: World, { parameters, query }: AuthorizedRequest): Answer {
  const idValue = query.get('idValue') ?? '';
  if (!tinPattern.test(parameters.tin ?? '')) return badArgument('tin', 'The TIN is not well-formed');
  if (!idTypes.includes(query.get('idType') ?? '')) {
    return badArgument('idType', `idType must be one of ${idTypes.join(', ')}`);
  }
  if (!idValuePattern.test(idValue) || idValue.endsWith('400')) {
    return badArgument('idValue', 'The id value is not well-formed');
  }
  if (idValue.endsWith('404')) return emptyAnswer(404);
  if (idValue.endsWith('500')) return apiError(500, { code: 'InternalServerError', message: 'The register failed' });
  return emptyAnswer(200);
}
