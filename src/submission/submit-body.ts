import { PROBLEMS_MAX } from '../common/errors.js';
import type { Problem } from '../common/problem.js';
import { checkShape, compileShape, isJsonObject, ruleIdsOf, shallow, without } from '../common/validation/shape.js';
import {
  type AcceptableDocument,
  MEANING_RULE_IDS,
  type RequestFacts,
  acceptDocument,
} from '../documents/body-rules.js';
import { malaysianDateOf } from '../documents/issue-time.js';
import { type CheckedDocument, type Seen, agreedText } from '../documents/rules/checked-document.js';
import { SUBMISSION_TYPES, type SubmissionType } from '../documents/simplified-document.js';
import { DocumentDto, SubmitDto } from './dto/submit.dto.js';

export interface SubmitBody {
  readonly submissionType: SubmissionType;
  readonly documents: readonly AcceptableDocument[];
}

const SUBMIT_SHAPE = compileShape(SubmitDto);
const ENVELOPE_SHAPE = shallow(SUBMIT_SHAPE);
const DOCUMENT_SHAPE = compileShape(DocumentDto);
// The recipient of a consolidated document may be anything (D4).
const CONSOLIDATED_DOCUMENT_SHAPE = without(DOCUMENT_SHAPE, 'recipient');

const BODY_TYPE = 'body_type';
const DOCUMENT_TYPE = 'documents_item_type';

/** Every rule identifier that a submit body can break, for the docs. */
export const SUBMIT_RULE_IDS: readonly string[] = [BODY_TYPE, ...ruleIdsOf(SUBMIT_SHAPE), ...MEANING_RULE_IDS];

/** The envelope's declared members after its shape was looked at. */
interface CheckedEnvelope {
  readonly submission_type: Seen<string>;
  readonly submissionType: Seen<string>;
  readonly documents: Seen<readonly unknown[]>;
}

/**
 * Judges a submit body by the rules of D4 that need nothing but the body: either everything that is broken, document by
 * document and at most PROBLEMS_MAX, or the documents as they are kept. Throws on no JSON value. The date of a document
 * is compared with the Malaysian date at `now`.
 */
export function readSubmitBody(body: unknown, now: Date): { problems: Problem[] } | SubmitBody {
  if (!isJsonObject(body)) {
    return { problems: [{ pointer: '', rule: BODY_TYPE, message: 'the body must be a JSON object' }] };
  }
  const problems: Problem[] = [];
  const envelope = checkShape(ENVELOPE_SHAPE, body, '', problems) as unknown as CheckedEnvelope;
  const submissionType = submissionTypeOf(envelope);
  const request: RequestFacts = { submissionType, today: malaysianDateOf(now), indexByReference: new Map() };
  const documents: AcceptableDocument[] = [];
  for (const [index, sent] of (envelope.documents ?? []).entries()) {
    const ofDocument: Problem[] = [];
    const document = readDocument(sent, index, request, ofDocument);
    for (const problem of ofDocument) problems.push(problem);
    if (problems.length >= PROBLEMS_MAX) break;
    if (document !== null) documents.push(document);
  }
  if (problems.length > 0 || submissionType === null) return { problems: problems.slice(0, PROBLEMS_MAX) };
  return { submissionType, documents };
}

/** One document, shape then meaning; appends what is broken to `problems`, empty so far, and then gives null. */
function readDocument(
  sent: unknown,
  index: number,
  request: RequestFacts,
  problems: Problem[],
): AcceptableDocument | null {
  const pointer = `/documents/${index}`;
  if (!isJsonObject(sent)) {
    problems.push({ pointer, rule: DOCUMENT_TYPE, message: 'must be an object' });
    return null;
  }
  const shape = request.submissionType === 'consolidated' ? CONSOLIDATED_DOCUMENT_SHAPE : DOCUMENT_SHAPE;
  const checked = checkShape(shape, sent, pointer, problems) as unknown as CheckedDocument;
  return acceptDocument(checked, index, request, problems);
}

function submissionTypeOf(envelope: CheckedEnvelope): SubmissionType | null {
  const sent = agreedText(envelope.submission_type, envelope.submissionType);
  return SUBMISSION_TYPES.find((type) => type === sent) ?? null;
}
