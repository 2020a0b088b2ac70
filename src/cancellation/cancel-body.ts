import type { Problem } from '../common/problem.js';
import { IN_BRACES } from '../common/validation/hints.js';
import { checkShape, compileShape, isJsonObject } from '../common/validation/shape.js';
import { CancelDto } from './dto/cancel.dto.js';

export interface CancelBody {
  readonly documentId: string;
  readonly reason: string;
}

/** D7. */
const DEFAULT_REASON = 'Cancelled by the issuer';

const CANCEL_SHAPE = compileShape(CancelDto);

/** Judges a cancel body: everything that is broken, or what it asks for. */
export function readCancelBody(body: unknown): { problems: Problem[] } | CancelBody {
  if (!isJsonObject(body)) {
    return {
      problems: [{ pointer: '', rule: 'body_type', message: 'the body must be a JSON object', hint: IN_BRACES }],
    };
  }
  const problems: Problem[] = [];
  const checked = checkShape(CANCEL_SHAPE, body, '', problems) as Partial<Record<keyof CancelDto, string | null>>;
  const documentId = checked.documentId ?? checked.document_id ?? null;
  if (problems.length > 0 || documentId === null) return { problems };
  const reason = checked.cancellationReason ?? checked.cancellation_reason ?? DEFAULT_REASON;
  return { documentId: documentId.trim().toLowerCase(), reason: reason.trim() };
}
