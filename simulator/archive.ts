import { isoSeconds } from './clock.js';
import { type StoredDocument, getStatus } from './documents.js';
import { SequencedLog } from './sequenced-log.js';

export interface Submission {
  uid: string;
  submitter: string;
  receivedAt: number;
  documents: StoredDocument[];
}

export interface WireLogEntry {
  sha256: string;
  number: string;
  type: string;
  supplierTin: string;
  time: string;
  submissionUid: string;
  uuid: string;
}

const wireLogMax = 1_000_000;
const dayMs = 24 * 60 * 60_000;

/** Limits on the age and number of stored documents. */
export interface Retention {
  retentionDays: number;
  documentsMax: number;
}

/** All accepted documents, indexed for the lookups of the API. */
export class Archive {
  private readonly documents = new Map<string, StoredDocument>();
  private readonly submissions = new Map<string, Submission>();
  private readonly bySubmitter = new Map<string, StoredDocument[]>();
  private readonly byDuplicateKey = new Map<string, StoredDocument[]>();
  private readonly notesByParent = new Map<string, StoredDocument[]>();
  wireLog = new SequencedLog<WireLogEntry>(wireLogMax);

  add(submission: Submission): void {
    this.submissions.set(submission.uid, submission);
    for (const document of submission.documents) this.addDocument(document);
  }

  find(uuid: string): StoredDocument | undefined {
    return this.documents.get(uuid);
  }

  findSubmission(uid: string): Submission | undefined {
    return this.submissions.get(uid);
  }

  /** Returns the submitter's documents in order of arrival. */
  submittedBy(submitter: string): readonly StoredDocument[] {
    return this.bySubmitter.get(submitter) ?? [];
  }

  /** Returns the latest document of any other submitter. */
  findLatestOfOthers(submitter: string): StoredDocument | undefined {
    return [...this.documents.values()].findLast((document) => document.submitter !== submitter);
  }

  /** Returns all documents with the same duplicate key in order of arrival, regardless of their age. */
  sameAs(document: StoredDocument): readonly StoredDocument[] {
    return this.byDuplicateKey.get(toDuplicateKey(document)) ?? [];
  }

  hasLiveNotes(uuid: string): boolean {
    return (this.notesByParent.get(uuid) ?? []).some((note) => ['Submitted', 'Valid'].includes(getStatus(note)));
  }

  /** Used by restore.ts. */
  allSubmissions(): Iterable<Submission> {
    return this.submissions.values();
  }

  /** Starts an empty log that continues the numbering after `forgotten` deleted entries. */
  beginWireLog(forgotten: number): void {
    this.wireLog = new SequencedLog<WireLogEntry>(wireLogMax, forgotten);
  }

  logAgain(entries: readonly WireLogEntry[]): void {
    for (const entry of entries) this.wireLog.append(entry);
  }

  /** Deletes the oldest submissions as a whole, like the authority's sandbox. The wire log keeps its entries. */
  forgetOld(now: number, { retentionDays, documentsMax }: Retention): void {
    for (const submission of this.submissions.values()) {
      const isOld = submission.receivedAt < now - retentionDays * dayMs;
      if (!isOld && this.documents.size <= documentsMax) return;
      this.forget(submission);
    }
  }

  private addDocument(document: StoredDocument): void {
    this.documents.set(document.uuid, document);
    append(this.bySubmitter, document.submitter, document);
    append(this.byDuplicateKey, toDuplicateKey(document), document);
    for (const parent of document.parents) append(this.notesByParent, parent.uuid, document);
    this.wireLog.append({
      sha256: document.rawSha256,
      number: document.number,
      type: document.type,
      supplierTin: document.supplierTin,
      time: isoSeconds(document.receivedAt),
      submissionUid: document.submissionUid,
      uuid: document.uuid,
    });
  }

  /** Must be called with the oldest submission, because it removes documents from the front of each list. */
  private forget({ uid, submitter, documents }: Submission): void {
    this.submissions.delete(uid);
    takeFirst(this.bySubmitter, submitter, documents.length);
    for (const document of documents) {
      this.documents.delete(document.uuid);
      takeFirst(this.byDuplicateKey, toDuplicateKey(document), 1);
      for (const parent of document.parents) takeFirst(this.notesByParent, parent.uuid, 1);
    }
  }
}

function toDuplicateKey(document: StoredDocument): string {
  return JSON.stringify([document.type, document.version, document.issuedAt, document.number, document.issuerTin]);
}

function append(index: Map<string, StoredDocument[]>, key: string, document: StoredDocument): void {
  const entries = index.get(key);
  if (entries) entries.push(document);
  else index.set(key, [document]);
}

function takeFirst(index: Map<string, StoredDocument[]>, key: string, count: number): void {
  const entries = index.get(key);
  entries?.splice(0, count);
  if (entries?.length === 0) index.delete(key);
}
