import { PROBLEMS_MAX } from '../errors/api-error.js';
import { createSuggester } from '../common/nearest.js';
import type { Problem } from '../errors/problem.js';
import { buildRepeatedProblem } from '../http/repeated-members.js';
import type { BodyHandling } from '../http/request-headers.js';
import { IN_BRACES } from '../http/validation/hints.js';
import { type JsonObject, checkShape, compileShape, isJsonObject } from '../http/validation/shape.js';
import { findUnknownMembers, buildUnknownProblem, toPartOfRefusal } from '../http/validation/unknown-members.js';
import { WARNINGS_LISTED_MAX, WarningList } from '../http/validation/warning-list.js';
import { CancelDto } from './dto/cancel.dto.js';

export interface CancelBody {
  readonly documentId: string;
  readonly reason: string;
  readonly warnings: WarningList;
}

// docs/rules.md#authority-document
const DEFAULT_REASON = 'Cancelled by the issuer';

const CANCEL_SHAPE = compileShape(CancelDto);

// Suggests the preferred spelling of each member.
const suggestMember = createSuggester(
  [
    ['documentId', 'documentId'],
    ['cancellationReason', 'cancellationReason'],
    ['cancelReason', 'cancellationReason'],
    ['reason', 'cancellationReason'],
  ],
  { isForgiving: true },
);

/**
 * Validates a cancel body (docs/rules.md#cancellation). Returns its problems, or the request with its ignored members.
 */
export function readCancelBody(body: unknown, options: BodyHandling): { problems: Problem[] } | CancelBody {
  if (!isJsonObject(body)) {
    return {
      problems: [{ pointer: '', rule: 'body_type', message: 'the body must be a JSON object', hint: IN_BRACES }],
    };
  }
  const problems: Problem[] = [];
  const checked = checkShape(CANCEL_SHAPE, body, '', problems) as Partial<Record<keyof CancelDto, string | null>>;
  problems.push(...findRepeated(options));
  const warnings = checkUnknown(body, options, problems);
  const documentId = checked.documentId ?? checked.document_id ?? null;
  if (problems.length > 0 || documentId === null) {
    return { problems: [...problems, ...warnings.collect().listed.map(toPartOfRefusal)].slice(0, PROBLEMS_MAX) };
  }
  const reason = checked.cancellationReason ?? checked.cancellation_reason ?? DEFAULT_REASON;
  return { documentId: documentId.trim().toLowerCase(), reason: reason.trim(), warnings };
}

/** Rejects repeated members: with two ids, the service might cancel the wrong document. */
function findRepeated({ repeatedMembers = [] }: BodyHandling): Problem[] {
  return repeatedMembers.slice(0, PROBLEMS_MAX).map(buildRepeatedProblem);
}

/**
 * Rejects misspelled members in every mode, because a cancellation cannot be undone and the buyer would see another
 * reason. Also rejects members beyond the limit of a response, which bounds the comparisons.
 */
function checkUnknown(body: JsonObject, { isStrict }: BodyHandling, problems: Problem[]): WarningList {
  const warnings = new WarningList();
  let ignored = 0;
  findUnknownMembers(CANCEL_SHAPE, body, '', (unknown) => {
    if (problems.length >= PROBLEMS_MAX) return;
    if (isStrict || ignored === WARNINGS_LISTED_MAX || suggestMember(unknown.name).length > 0) {
      problems.push(buildUnknownProblem(unknown, false, suggestMember));
      return;
    }
    ignored += 1;
    warnings.add(() => buildUnknownProblem(unknown, true, suggestMember));
  });
  return warnings;
}
