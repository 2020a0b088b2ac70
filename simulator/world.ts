import { Archive } from './archive.js';
import { Clock } from './clock.js';
import { FaultTable } from './fault-table.js';
import { PayloadMemory } from './payload-memory.js';
import { RateLimits } from './rate-limits.js';
import { type SimulatorSettings, changeSettings } from './settings.js';
import { TokenBook } from './token-book.js';
import { ValidationQueue } from './validators/validation-queue.js';

/** All that the simulator remembers. */
export class World {
  readonly clock = new Clock();
  settings: SimulatorSettings;
  archive = new Archive();
  tokens = new TokenBook();
  faults = new FaultTable();
  rateLimits = new RateLimits();
  payloads = new PayloadMemory();
  validations = new ValidationQueue();
  private revokedTins = new Set<string>();
  private usedNames = new Set<string>();

  constructor(private readonly startSettings: SimulatorSettings) {
    this.settings = startSettings;
  }

  /** Back to the moment of the start: nothing known, the settings of the start, the machine's time. */
  reset(): void {
    this.clock.reset();
    this.settings = this.startSettings;
    this.archive = new Archive();
    this.tokens = new TokenBook();
    this.faults = new FaultTable();
    this.rateLimits = new RateLimits();
    this.payloads = new PayloadMemory();
    this.validations = new ValidationQueue();
    this.revokedTins = new Set();
    this.usedNames = new Set();
  }

  change(changes: Record<string, unknown>): void {
    this.settings = changeSettings(this.settings, changes);
  }

  /** Every well-formed TIN belongs to a taxpayer that appointed the intermediary, until a control call says otherwise. */
  isAppointedBy(tin: string): boolean {
    return !this.revokedTins.has(tin);
  }

  appoint(tin: string, isAppointed: boolean): void {
    if (isAppointed) this.revokedTins.delete(tin);
    else this.revokedTins.add(tin);
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
