import type { DocumentSummary, PartialSummary } from '../../authority/wire.js';
import { findDocumentType } from '../../documents/document-types.js';
import { normaliseTin } from '../../documents/identity.js';
import type { DocumentType } from '../../documents/simplified-document.js';

/** The values that identify a document at the authority, across all submitters. No two attempts share all four. */
export interface DocumentIdentity {
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly supplierTin: string;
  readonly issuedAt: Date;
}

/** Returns `unclear` if a value is unreadable and no other value differs. Pure. */
export function compareIdentity(document: DocumentIdentity, shown: PartialSummary): 'same' | 'different' | 'unclear' {
  const verdicts = compareValues(document, shown).map(({ isEqual }) => isEqual);
  if (verdicts.includes(false)) return 'different';
  return verdicts.includes(null) ? 'unclear' : 'same';
}

export function explainUnclear(document: DocumentIdentity, shown: PartialSummary): string {
  const unclear = compareValues(document, shown).filter(({ isEqual }) => isEqual === null);
  return unclear.map(({ reason }) => reason).join(', ');
}

const ZONE_STEP_SECONDS = 15 * 60;
const ZONE_SECONDS_MAX = 14 * 3_600;

interface ComparedValue {
  readonly isEqual: boolean | null;
  readonly reason: string;
}

function compareValues(document: DocumentIdentity, shown: PartialSummary): ComparedValue[] {
  const { referenceId, supplierTin, typeName, issuedAt } = shown;
  const type = findDocumentType(typeName);
  const typeReason = typeName === null ? 'it has no type name' : `this build does not know the type name "${typeName}"`;
  return [
    {
      isEqual: referenceId === null ? null : referenceId === document.referenceId,
      reason: 'its number cannot be read',
    },
    { isEqual: type === null ? null : type === document.documentType, reason: typeReason },
    {
      isEqual: supplierTin === null ? null : normaliseTin(supplierTin) === document.supplierTin,
      reason: 'its supplier cannot be read',
    },
    {
      isEqual: isSameInstant(document.issuedAt, issuedAt),
      reason: describeTimeDifference(document.issuedAt, issuedAt),
    },
  ];
}

function describeTimeDifference(own: Date, shown: Date | null): string {
  if (shown === null) return 'its issue time cannot be read';
  const isSameMinute = Math.floor(toSeconds(own) / 60) === Math.floor(toSeconds(shown) / 60);
  return isSameMinute
    ? 'only the minute of its issue time is equal'
    : 'its issue time may be that of another time zone';
}

/** Returns null if the shown time may be truncated to the minute or in another time zone. */
function isSameInstant(own: Date, shown: Date | null): boolean | null {
  if (shown === null) return null;
  const difference = toSeconds(shown) - toSeconds(own);
  if (difference === 0) return true;
  const isShifted = [difference, difference + cutSeconds(own, shown)].some(isZoneDifference);
  return isShifted ? null : false;
}

function cutSeconds(own: Date, shown: Date): number {
  return toSeconds(shown) % 60 === 0 ? toSeconds(own) % 60 : 0;
}

/** The authority may label a local time as UTC. Time zones differ by multiples of 15 minutes. */
function isZoneDifference(seconds: number): boolean {
  return seconds % ZONE_STEP_SECONDS === 0 && Math.abs(seconds) <= ZONE_SECONDS_MAX;
}

/**
 * Returns whether the document under the uuid of a response is the sent document. Its issue time may be
 * unreadable. Pure.
 */
export function confirmsClaim(document: DocumentIdentity, shown: PartialSummary): boolean {
  if (compareIdentity(document, shown) === 'different') return false;
  return compareIdentity(document, { ...shown, issuedAt: document.issuedAt }) === 'same';
}

function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000);
}

/** Returns whether the document under a confirmed uuid has a different number or type. Pure. */
export function contradictsConfirmed(
  member: { readonly referenceId: string; readonly documentType: DocumentType },
  shown: PartialSummary,
): boolean {
  const type = findDocumentType(shown.typeName);
  return shown.referenceId !== member.referenceId || (type !== null && type !== member.documentType);
}

/** Returns the oldest copy that is not invalid. The authority lists the newest copy first. */
export function findOriginal<Summary extends DocumentSummary>(summaries: readonly Summary[]): Summary | undefined {
  return summaries.findLast(({ status }) => status !== 'Invalid') ?? summaries.at(-1);
}
