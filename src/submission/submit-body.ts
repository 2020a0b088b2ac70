import { toMalaysianDate } from '../common/malaysian-days.js';
import { PROBLEMS_MAX } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';
import { MEMBER_REPEATED, REPEATED_MEMBER, buildRepeatedProblem } from '../http/repeated-members.js';
import { IN_BRACES } from '../http/validation/hints.js';
import {
  type JsonObject,
  type Shape,
  checkShape,
  compileShape,
  isJsonObject,
  listRuleIds,
  toShallow,
  skipMember,
} from '../http/validation/shape.js';
import {
  MEMBER_UNKNOWN,
  findUnknownMembers,
  buildUnknownProblem,
  toPartOfRefusal,
} from '../http/validation/unknown-members.js';
import { WarningList } from '../http/validation/warning-list.js';
import {
  type AcceptableDocument,
  MEANING_RULE_IDS,
  type RequestFacts,
  acceptDocument,
} from '../documents/body-rules.js';
import { DocumentDto } from '../documents/dto/document.dto.js';
import { type CheckedDocument, type CheckedMember, readAgreedText } from '../documents/rules/rule.js';
import type { BodyHandling } from '../http/request-headers.js';
import { WARNING_RULE_IDS, type WarnedDocument, computeYoungSince, warnAbout } from '../documents/rules/warnings.js';
import { SUBMISSION_TYPES, type SubmissionType } from '../documents/simplified-document.js';
import { UNSUPPORTED_MEMBER, findUnsupported } from '../documents/unsupported-members.js';
import { SIMILAR_PARENT, SIMILAR_REFERENCE } from './stored-documents.js';
import { SubmitDto } from './dto/submit.dto.js';
import { DATE_BEFORE_PARENT, PARENT_EXCEEDED } from './credited-parents.js';
import { PARENT_OTHER_UUID } from './parents.js';

export interface SubmitBody {
  readonly submissionType: SubmissionType;
  readonly documents: readonly AcceptableDocument[];
  readonly warnings: WarningList;
}

const SUBMIT_SHAPE = compileShape(SubmitDto);
const ENVELOPE_SHAPE = toShallow(SUBMIT_SHAPE);
const DOCUMENT_SHAPE = compileShape(DocumentDto);
// The recipient of a consolidated document is ignored (docs/rules.md#body-rules).
const CONSOLIDATED_DOCUMENT_SHAPE = skipMember(DOCUMENT_SHAPE, 'recipient');

const BODY_TYPE = 'body_type';
const DOCUMENT_TYPE = 'documents_item_type';

export const SUBMIT_RULE_IDS: readonly string[] = [
  BODY_TYPE,
  ...listRuleIds(SUBMIT_SHAPE),
  ...MEANING_RULE_IDS,
  UNSUPPORTED_MEMBER,
  REPEATED_MEMBER,
];

/** All rule identifiers of warnings. In strict mode, the first two become errors. */
export const SUBMIT_WARNING_IDS: readonly string[] = [
  MEMBER_UNKNOWN,
  MEMBER_REPEATED,
  SIMILAR_REFERENCE,
  SIMILAR_PARENT,
  PARENT_OTHER_UUID,
  PARENT_EXCEEDED,
  DATE_BEFORE_PARENT,
  ...WARNING_RULE_IDS,
];

const IGNORED_RULES: ReadonlySet<string> = new Set([MEMBER_UNKNOWN, MEMBER_REPEATED]);

interface CheckedEnvelope {
  readonly submission_type: CheckedMember<string>;
  readonly submissionType: CheckedMember<string>;
  readonly documents: CheckedMember<readonly unknown[]>;
}

/**
 * Checks a submit body by the rules that need only the body (docs/rules.md#body-rules). Returns at most PROBLEMS_MAX
 * problems followed by the ignored fields, or the documents with their warnings. Compares document dates with the date
 * in Malaysia at `now`.
 */
export function readSubmitBody(
  body: unknown,
  now: Date,
  options: BodyHandling = { isStrict: false },
): { problems: Problem[] } | SubmitBody {
  if (!isJsonObject(body)) {
    return { problems: [{ pointer: '', rule: BODY_TYPE, message: 'the body must be a JSON object', hint: IN_BRACES }] };
  }
  const found: ProblemsAndWarnings = { ...options, problems: [], warnings: new WarningList() };
  const { problems, warnings } = found;
  const envelope = checkShape(ENVELOPE_SHAPE, body, '', problems) as unknown as CheckedEnvelope;
  checkUnknownMembers({ shape: ENVELOPE_SHAPE, value: body, pointer: '' }, found);
  checkRepeatedMembers(found);
  const submissionType = readSubmissionType(envelope);
  const request = {
    submissionType,
    now,
    today: toMalaysianDate(now),
    youngSince: computeYoungSince(now),
    indexByReference: new Map<string, number>(),
  };
  const documents: AcceptableDocument[] = [];
  for (const [index, sent] of (envelope.documents ?? []).entries()) {
    const document = readDocument(sent, index, request, found);
    if (problems.length >= PROBLEMS_MAX) break;
    if (document !== null) documents.push(document);
  }
  if (problems.length > 0 || submissionType === null) {
    // Lists ignored fields too, because a misspelled name often explains a missing field.
    const ignored = warnings.collect().listed.filter(({ rule }) => IGNORED_RULES.has(rule));
    return { problems: [...problems, ...ignored.map(toPartOfRefusal)].slice(0, PROBLEMS_MAX) };
  }
  return { submissionType, documents, warnings };
}

interface ProblemsAndWarnings extends BodyHandling {
  readonly problems: Problem[];
  readonly warnings: WarningList;
}

type DatedRequest = RequestFacts & Pick<WarnedDocument, 'now' | 'youngSince'>;

/** Checks a document and adds its problems and warnings. Returns null if there is a problem. */
function readDocument(
  sent: unknown,
  index: number,
  request: DatedRequest,
  found: ProblemsAndWarnings,
): AcceptableDocument | null {
  const pointer = `/documents/${index}`;
  if (!isJsonObject(sent)) {
    found.problems.push({ pointer, rule: DOCUMENT_TYPE, message: 'must be an object', hint: IN_BRACES });
    return null;
  }
  const isConsolidated = request.submissionType === 'consolidated';
  const shape = isConsolidated ? CONSOLIDATED_DOCUMENT_SHAPE : DOCUMENT_SHAPE;
  const problems: Problem[] = [];
  const checked = checkShape(shape, sent, pointer, problems) as unknown as CheckedDocument;
  const document = acceptDocument(checked, index, request, problems);
  for (const problem of problems) found.problems.push(problem);
  checkUnknownMembers({ shape, value: sent, pointer }, found);
  if (document === null) return null;
  const doubts: Problem[] = [];
  const { now, youngSince } = request;
  const hasIgnoredRecipient = isConsolidated && (sent.recipient ?? null) !== null;
  warnAbout({ document: document.document, sent: checked, hasIgnoredRecipient, now, youngSince }, pointer, doubts);
  for (const doubt of doubts) found.warnings.add(() => doubt);
  return document;
}

interface SentObject {
  readonly shape: Shape;
  readonly value: JsonObject;
  readonly pointer: string;
}

function checkUnknownMembers(
  { shape, value, pointer }: SentObject,
  { isStrict, problems, warnings }: ProblemsAndWarnings,
): void {
  findUnknownMembers(shape, value, pointer, (unknown) => {
    if (problems.length >= PROBLEMS_MAX) return;
    const unsupported = findUnsupported(unknown);
    if (unsupported !== null) problems.push(unsupported);
    else if (!isStrict) warnings.add(() => buildUnknownProblem(unknown, true));
    else problems.push(buildUnknownProblem(unknown, false));
  });
}

function checkRepeatedMembers({ isStrict, repeatedMembers = [], problems, warnings }: ProblemsAndWarnings): void {
  for (const repeated of repeatedMembers) {
    if (repeated.isSame && !isStrict) warnings.add(() => buildRepeatedProblem(repeated));
    else if (problems.length < PROBLEMS_MAX) problems.push(buildRepeatedProblem(repeated));
  }
}

function readSubmissionType(envelope: CheckedEnvelope): SubmissionType | null {
  const sent = readAgreedText(envelope.submission_type, envelope.submissionType);
  return SUBMISSION_TYPES.find((type) => type === sent) ?? null;
}
