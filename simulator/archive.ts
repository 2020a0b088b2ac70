import { isoSeconds } from './clock.js';
import { type StoredDocument, statusOf } from './documents.js';

export interface Submission {
  uid: string;
  submitter: string;
  receivedAt: number;
  documents: StoredDocument[];
}

interface WireLogEntry {
  sequence: number;
  sha256: string;
  number: string;
  type: string;
  supplierTin: string;
  time: string;
  submissionUid: string;
  uuid: string;
}

const wireLogPageMax = 10_000;

/** Everything that was accepted, in memory: a restart of the simulator is a new authority. */
export class Archive {
  private readonly documents = new Map<string, StoredDocument>();
  private readonly submissions = new Map<string, Submission>();
  private readonly bySubmitter = new Map<string, StoredDocument[]>();
  private readonly byDuplicateKey = new Map<string, StoredDocument[]>();
  private readonly notesByParent = new Map<string, StoredDocument[]>();
  private readonly wireLog: WireLogEntry[] = [];

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

  /** In the order of their arrival. */
  submittedBy(submitter: string): readonly StoredDocument[] {
    return this.bySubmitter.get(submitter) ?? [];
  }

  /** Documents that the authority's duplicate rule calls the same, whatever their age, in the order of their arrival. */
  sameAs(document: StoredDocument): readonly StoredDocument[] {
    return this.byDuplicateKey.get(duplicateKeyOf(document)) ?? [];
  }

  hasLiveNotes(uuid: string): boolean {
    return (this.notesByParent.get(uuid) ?? []).some((note) => ['Submitted', 'Valid'].includes(statusOf(note)));
  }

  wireLogAfter(sequence: number): WireLogEntry[] {
    return this.wireLog.slice(sequence, sequence + wireLogPageMax);
  }

  private addDocument(document: StoredDocument): void {
    this.documents.set(document.uuid, document);
    append(this.bySubmitter, document.submitter, document);
    append(this.byDuplicateKey, duplicateKeyOf(document), document);
    for (const parent of document.parents) append(this.notesByParent, parent.uuid, document);
    this.wireLog.push({
      sequence: this.wireLog.length + 1,
      sha256: document.rawSha256,
      number: document.number,
      type: document.type,
      supplierTin: document.supplierTin,
      time: isoSeconds(document.receivedAt),
      submissionUid: document.submissionUid,
      uuid: document.uuid,
    });
  }
}

function duplicateKeyOf(document: StoredDocument): string {
  return JSON.stringify([document.type, document.version, document.issuedAt, document.number, document.issuerTin]);
}

function append(index: Map<string, StoredDocument[]>, key: string, document: StoredDocument): void {
  const entries = index.get(key);
  if (entries) entries.push(document);
  else index.set(key, [document]);
}
