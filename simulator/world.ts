import { Archive, type Submission } from './archive.js';
import { CallLog } from './call-log.js';
import type { Change, ChangeKind, ChangeByKind, DocumentState } from './changes.js';
import { Clock } from './clock.js';
import type { StoredDocument } from './documents.js';
import { type CallTraits, type FaultName, type FaultRule, FaultTable } from './fault-table.js';
import { PayloadHistory } from './payload-memory.js';
import { RateLimits } from './rate-limits.js';
import { type SimulatorSettings, changeSettings } from './settings.js';
import { type Session, TokenBook } from './token-book.js';
import { ValidationQueue } from './validators/validation-queue.js';
import type { Subject } from './validators/validator.js';

/** What a taxpayer can allow the intermediary, in the portal. */
export const permissionNames = ['submit', 'cancel', 'reject', 'view'] as const;
export type Permission = (typeof permissionNames)[number];

export interface Appointment {
  readonly permissions: ReadonlySet<Permission>;
  /** Since when the intermediary may submit; null: always. */
  readonly submitsSince: number | null;
}

const unlimited: Appointment = { permissions: new Set(permissionNames), submitsSince: null };

/** An accepted document on its way to its validation; null when it has none. */
export interface AcceptedDocument extends Subject {
  readonly dueAt: number | null;
}

export interface WorldOptions {
  /** Moves the clock of what follows this one, before this one moves: milliseconds ahead of the machine's. */
  readonly moveFollower?: (offsetMs: number) => Promise<void>;
}

/** All that the simulator remembers. */
export class World {
  readonly clock = new Clock();
  settings: SimulatorSettings;
  archive = new Archive();
  calls = new CallLog();
  tokens = new TokenBook();
  faults = new FaultTable();
  rateLimits = new RateLimits();
  payloads = new PayloadHistory();
  validations = new ValidationQueue();
  appointments = new Map<string, Appointment>();
  usedNames = new Set<string>();
  /** Null: nobody writes them down. */
  private changes: Change[] | null = null;
  private moving: Promise<void> = Promise.resolve();

  constructor(
    private readonly startSettings: SimulatorSettings,
    private readonly options: WorldOptions = {},
  ) {
    this.settings = startSettings;
  }

  /** Records changes from now on, for the journal. @returns a function that gives those since its last call, in order */
  noteChanges(): () => readonly Change[] {
    this.changes = [];
    return () => this.changes?.splice(0) ?? [];
  }

  /** Back to the moment of the start: nothing known, the settings of the start, the machine's time. */
  reset(): void {
    // The clock never goes back for a caller that has seen a later time.
    if (!this.options.moveFollower) this.clock.offsetMs = 0;
    this.settings = this.startSettings;
    this.archive = new Archive();
    this.calls = new CallLog();
    this.tokens = new TokenBook();
    this.faults = new FaultTable();
    this.rateLimits = new RateLimits();
    this.payloads = new PayloadHistory();
    this.validations = new ValidationQueue();
    this.appointments = new Map();
    this.usedNames = new Set();
    this.note('reset', () => null);
    this.note('clock', () => ({ offsetMs: this.clock.offsetMs }));
  }

  change(changes: Record<string, unknown>): void {
    this.settings = changeSettings(this.settings, changes);
    this.note('settings', () => this.settings);
  }

  /** Moves the clock forward, one move after the other: each begins where the last has ended. */
  advance(seconds: number): Promise<void> {
    const moved = this.advanceAfter(this.moving, seconds);
    this.moving = moved.catch(() => undefined);
    return moved;
  }

  private async advanceAfter(earlier: Promise<void>, seconds: number): Promise<void> {
    await earlier;
    const offsetMs = this.clock.offsetMs + seconds * 1000;
    await this.options.moveFollower?.(offsetMs);
    this.setClock(offsetMs);
  }

  /** @param offsetMs milliseconds ahead of the machine's */
  setClock(offsetMs: number): void {
    this.clock.offsetMs = offsetMs;
    this.note('clock', () => ({ offsetMs }));
  }

  accept(submission: Submission, accepted: readonly AcceptedDocument[]): void {
    if (submission.documents.length === 0) return;
    for (const document of submission.documents) {
      document.appointedSince = this.getAppointment(document.issuerTin).submitsSince ?? undefined;
    }
    this.archive.add(submission);
    this.archive.forgetOld(submission.receivedAt, this.settings);
    for (const { document, invoice, dueAt } of accepted) {
      if (dueAt !== null) this.validations.schedule({ document, invoice, dueAt }, this.settings);
    }
    this.note('submission', () => {
      const documents = accepted.map(({ document, dueAt }) => ({
        uuid: document.uuid,
        raw: document.raw.toString('base64'),
        dueAt,
      }));
      return { ...submission, documents };
    });
  }

  changeDocument(document: StoredDocument, state: DocumentState): void {
    Object.assign(document, state);
    this.note('document', () => ({ uuid: document.uuid, state }));
  }

  issueToken(session: Session): string {
    const now = this.clock.now();
    const { tokenSeconds } = this.settings;
    const text = this.tokens.issue(session, now, tokenSeconds);
    this.note('token', () => ({ text, token: { ...session, expiresAt: now + tokenSeconds * 1000 } }));
    return text;
  }

  rememberPayload(taxpayerTin: string, sha256: string): void {
    const acceptedAt = this.clock.now();
    this.payloads.remember(taxpayerTin, sha256, acceptedAt);
    this.note('payload', () => ({ key: `${taxpayerTin} ${sha256}`, acceptedAt }));
  }

  addFaults(rules: FaultRule[]): void {
    this.faults.add(rules);
    this.noteFaults();
  }

  clearFaults(): void {
    this.faults.clear();
    this.noteFaults();
  }

  takeFault(traits: CallTraits): FaultName | undefined {
    const fault = this.faults.take(traits);
    this.noteFaults();
    return fault;
  }

  /**
   * Every well-formed TIN belongs to a taxpayer that appointed the intermediary, until a control call says otherwise.
   */
  isAppointedBy(tin: string): boolean {
    return this.getAppointment(tin).permissions.size > 0;
  }

  /** Checks one permission of the appointment. A login also works without some of them. */
  isAllowedBy(tin: string, permission: Permission): boolean {
    return this.getAppointment(tin).permissions.has(permission);
  }

  /** No permissions end the appointment. */
  appoint(tin: string, permissions: readonly Permission[]): void {
    const before = this.getAppointment(tin);
    const begins = permissions.includes('submit') && !before.permissions.has('submit');
    const submitsSince = begins ? this.clock.now() : before.submitsSince;
    this.setAppointment(tin, { permissions: new Set(permissions), submitsSince });
  }

  setAppointment(tin: string, appointment: Appointment): void {
    this.appointments.set(tin, appointment);
    const { permissions, submitsSince } = appointment;
    this.note('appointment', () => ({ tin, permissions: [...permissions], submitsSince }));
  }

  private getAppointment(tin: string): Appointment {
    return this.appointments.get(tin) ?? unlimited;
  }

  /** True for the first call with this number of this taxpayer: several reserved names act once. */
  useOnce(taxpayerTin: string, number: string): boolean {
    const key = `${taxpayerTin} ${number}`;
    if (this.usedNames.has(key)) return false;
    this.usedNames.add(key);
    this.note('usedName', () => key);
    return true;
  }

  /** Validation is due by the clock and done when somebody looks, so a moved clock needs no timers. */
  catchUp(): void {
    const settled = this.validations.runDue(this.clock.now(), { archive: this.archive, settings: this.settings });
    for (const { uuid, outcome } of settled) this.note('document', () => ({ uuid, state: { outcome } }));
  }

  private noteFaults(): void {
    this.note('faults', () => this.faults.all().map(({ rule, fitting }) => ({ rule: { ...rule }, fitting })));
  }

  private note<Kind extends ChangeKind>(kind: Kind, make: () => ChangeByKind[Kind]): void {
    this.changes?.push([kind, make()] as unknown as Change);
  }
}
