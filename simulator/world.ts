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

/** Permissions that a taxpayer can grant to the intermediary in the portal. */
export const permissionNames = ['submit', 'cancel', 'reject', 'view'] as const;
export type Permission = (typeof permissionNames)[number];

export interface Appointment {
  readonly permissions: ReadonlySet<Permission>;
  /** Time when the permission to submit began. Null means that it has no start. */
  readonly submitsSince: number | null;
}

const unlimited: Appointment = { permissions: new Set(permissionNames), submitsSince: null };

/** An accepted document with its due validation time. Null means that it is never validated. */
export interface AcceptedDocument extends Subject {
  readonly dueAt: number | null;
}

export interface WorldOptions {
  /** Moves the following clock before this one. `offsetMs` is milliseconds ahead of the machine's clock. */
  readonly moveFollower?: (offsetMs: number) => Promise<void>;
}

/** The complete state of the simulator. */
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
  /** Null if there is no journal. */
  private changes: Change[] | null = null;
  private moving: Promise<void> = Promise.resolve();

  constructor(
    private readonly startSettings: SimulatorSettings,
    private readonly options: WorldOptions = {},
  ) {
    this.settings = startSettings;
  }

  /** Starts recording changes for the journal. @returns a function that returns the changes since its last call */
  noteChanges(): () => readonly Change[] {
    this.changes = [];
    return () => this.changes?.splice(0) ?? [];
  }

  /** Deletes all data and restores the start settings. */
  reset(): void {
    // A following clock cannot move back.
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

  /** Advances the clock. Concurrent moves run one after the other. */
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

  /** @param offsetMs milliseconds ahead of the machine's clock */
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

  /** Returns whether the taxpayer has appointed the intermediary. By default, every taxpayer has. */
  isAppointedBy(tin: string): boolean {
    return this.getAppointment(tin).permissions.size > 0;
  }

  /** Checks one permission of the appointment. A login works with any single permission. */
  isAllowedBy(tin: string, permission: Permission): boolean {
    return this.getAppointment(tin).permissions.has(permission);
  }

  /** Sets the permissions of a taxpayer's appointment. An empty list ends the appointment. */
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

  /** Returns true on the first call for this taxpayer and number. Some reserved numbers take effect only once. */
  useOnce(taxpayerTin: string, number: string): boolean {
    const key = `${taxpayerTin} ${number}`;
    if (this.usedNames.has(key)) return false;
    this.usedNames.add(key);
    this.note('usedName', () => key);
    return true;
  }

  /** Runs the validations that are due. Each request calls it, so that a moved clock needs no timers. */
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
