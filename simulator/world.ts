import { Archive } from './archive.js';
import { CallLog } from './call-log.js';
import { Clock } from './clock.js';
import { FaultTable } from './fault-table.js';
import { PayloadMemory } from './payload-memory.js';
import { RateLimits } from './rate-limits.js';
import { type SimulatorSettings, changeSettings } from './settings.js';
import { TokenBook } from './token-book.js';
import { ValidationQueue } from './validators/validation-queue.js';

/** What a taxpayer can allow the intermediary, in the portal. */
export const permissionNames = ['submit', 'cancel', 'reject', 'view'] as const;
export type Permission = (typeof permissionNames)[number];
const everyPermission: ReadonlySet<Permission> = new Set(permissionNames);

/** All that the simulator remembers. */
export class World {
  readonly clock = new Clock();
  settings: SimulatorSettings;
  archive = new Archive();
  calls = new CallLog();
  tokens = new TokenBook();
  faults = new FaultTable();
  rateLimits = new RateLimits();
  payloads = new PayloadMemory();
  validations = new ValidationQueue();
  private permissionsByTin = new Map<string, ReadonlySet<Permission>>();
  private usedNames = new Set<string>();

  constructor(private readonly startSettings: SimulatorSettings) {
    this.settings = startSettings;
  }

  /** Back to the moment of the start: nothing known, the settings of the start, the machine's time. */
  reset(): void {
    this.clock.reset();
    this.settings = this.startSettings;
    this.archive = new Archive();
    this.calls = new CallLog();
    this.tokens = new TokenBook();
    this.faults = new FaultTable();
    this.rateLimits = new RateLimits();
    this.payloads = new PayloadMemory();
    this.validations = new ValidationQueue();
    this.permissionsByTin = new Map();
    this.usedNames = new Set();
  }

  change(changes: Record<string, unknown>): void {
    this.settings = changeSettings(this.settings, changes);
  }

  /** Every well-formed TIN belongs to a taxpayer that appointed the intermediary, until a control call says otherwise. */
  isAppointedBy(tin: string): boolean {
    return this.permissionsOf(tin).size > 0;
  }

  /** The switches of the appointment: each of them can be off while the login still works. */
  isAllowedBy(tin: string, permission: Permission): boolean {
    return this.permissionsOf(tin).has(permission);
  }

  /** No permissions end the appointment. */
  appoint(tin: string, permissions: readonly Permission[]): void {
    this.permissionsByTin.set(tin, new Set(permissions));
  }

  private permissionsOf(tin: string): ReadonlySet<Permission> {
    return this.permissionsByTin.get(tin) ?? everyPermission;
  }

  /** True for the first call with this number of this taxpayer: several reserved names act once. */
  useOnce(taxpayerTin: string, number: string): boolean {
    const key = `${taxpayerTin} ${number}`;
    if (this.usedNames.has(key)) return false;
    this.usedNames.add(key);
    return true;
  }

  /** Validation is due by the clock and done when somebody looks, so a moved clock needs no timers. */
  catchUp(): void {
    this.validations.runDue(this.clock.now(), { archive: this.archive, settings: this.settings });
  }
}
