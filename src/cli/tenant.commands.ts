import { Command, SubCommand } from 'nest-commander';
import { ValidationError } from '../errors/api-error.js';
import { OperatorError } from '../errors/operator-error.js';
import { toFieldPath } from '../errors/problem.js';
import type { Tenant } from '../entities/tenant.entity.js';
import { findProfileDoubts, type ProfileDoubt } from '../tenants/profile-doubts.js';
import { listMissing } from '../tenants/supplier.js';
import { readEvidence } from '../tenants/verification/evidence.js';
import { listVerifications, UNVERIFIED_EVERYWHERE } from '../tenants/verification/verification.sql.js';
import {
  CommandGroup,
  type CommandOption,
  OperatorCommand,
  TENANT_OPTION,
  parseUuid,
  parseInteger,
  toOptionName,
} from './operator-command.js';
import { formatLines, type Report, formatTable } from './output.js';
import {
  toEvidenceJson,
  formatEvidence,
  SHARED_TIN_SWITCH,
  TenantRefuseCommand,
  TenantVerifyCommand,
  buildVerificationNote,
} from './verification.commands.js';
import { COMMAND_ACTOR } from '../accounts/audit.js';
import { PER_MINUTE_MAX } from '../config/rate-limit-settings.js';
import { KIND_WORDS, LIMITED_KINDS, type LimitedKind, type OwnLimits } from '../rate-limits/limits.js';
import { changeOwnLimits } from '../rate-limits/organisation-limits.js';
import type { ProfileChange } from '../tenants/profile-change.js';
import type { ProfileField } from '../tenants/tenant-profile.js';

interface ProfileOption {
  readonly field: ProfileField;
  readonly flag: string;
  readonly description: string;
}

/** The options of `tenant create` and `tenant update`. */
const PROFILE_OPTIONS: readonly ProfileOption[] = [
  { field: 'name', flag: '--name', description: "the organisation's registered name" },
  { field: 'tin', flag: '--tin', description: 'taxpayer identification number, such as C1234567890' },
  { field: 'idType', flag: '--id-type', description: 'BRN, NRIC, PASSPORT or ARMY' },
  { field: 'idValue', flag: '--id-value', description: 'number of that id' },
  { field: 'sstNumber', flag: '--sst', description: 'sales and service tax registration' },
  { field: 'ttxNumber', flag: '--ttx', description: 'tourism tax registration' },
  { field: 'msic', flag: '--msic', description: 'industry code, five digits' },
  { field: 'activity', flag: '--activity', description: 'business activity' },
  { field: 'addressLine1', flag: '--address-line1', description: 'first line of the address' },
  { field: 'addressLine2', flag: '--address-line2', description: 'second line of the address' },
  { field: 'city', flag: '--city', description: 'city' },
  { field: 'postcode', flag: '--postcode', description: 'postcode' },
  { field: 'stateCode', flag: '--state', description: 'state, such as selangor' },
  { field: 'country', flag: '--country', description: 'ISO alpha-3 code; default for a new tenant: MYS' },
  { field: 'phone', flag: '--phone', description: 'phone with country code, such as +60312345678' },
  { field: 'email', flag: '--email', description: 'e-mail address' },
  {
    field: 'defaultTaxType',
    flag: '--default-tax-type',
    description: 'tax type of taxed lines without one; default: 01',
  },
  {
    field: 'defaultClassification',
    flag: '--default-classification',
    description: 'classification of lines without one',
  },
];

const flags = new Map<string, string>(PROFILE_OPTIONS.map(({ field, flag }) => [field, flag]));

function toProfileChange(given: Readonly<Record<string, string | undefined>>): ProfileChange {
  const changes = PROFILE_OPTIONS.map(({ field, flag }) => [field, given[toOptionName(flag)]] as const);
  return Object.fromEntries(changes.filter(([, text]) => text !== undefined));
}

function findFlag(field: string): string {
  return flags.get(field) ?? field;
}

const FLAGS = LIMITED_KINDS.map((kind) => ({ kind, flag: `--${KIND_WORDS[kind].name}-per-minute` }));
const USUAL = 'default';

@SubCommand({ name: 'limit', description: "show or set an organisation's rate limits, which all its keys share" })
class TenantLimitCommand extends OperatorCommand {
  protected readonly options = [
    TENANT_OPTION,
    ...FLAGS.map(({ kind, flag }) => ({
      flag,
      value: 'number',
      description: `${KIND_WORDS[kind].words} per minute; 0 means unlimited, "${USUAL}" means the value of the settings`,
    })),
  ];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const tenantId = parseUuid('--tenant', given.tenant);
    const change = Object.fromEntries(
      FLAGS.flatMap(({ kind, flag }): [LimitedKind, number | null][] => {
        const text = given[toOptionName(flag)];
        return text === undefined ? [] : [[kind, parseLimit(flag, text)]];
      }),
    ) as Partial<OwnLimits>;
    const limits = await this.dataSource.transaction((tx) => changeOwnLimits(tx, COMMAND_ACTOR, { tenantId, change }));
    if (limits === null) throw new OperatorError(`There is no tenant ${tenantId}; see "tenant list"`);
    const lines = LIMITED_KINDS.map((kind): [string, number | string] => [
      `${KIND_WORDS[kind].words} per minute`,
      limits[kind] ?? USUAL,
    ]);
    return { json: { tenantId, ...limits }, text: formatLines([['tenant', tenantId], ...lines]) };
  }
}

function parseLimit(flag: string, text: string): number | null {
  return text === USUAL ? null : parseInteger(flag, text, { min: 0, max: PER_MINUTE_MAX });
}

const profileOptions: readonly CommandOption[] = PROFILE_OPTIONS.map(({ flag, description }) => ({
  flag,
  description,
  value: 'text',
}));

@SubCommand({ name: 'create', description: 'create an organisation; missing profile fields can be added later' })
export class TenantCreateCommand extends OperatorCommand {
  protected readonly options = profileOptions.map((option) => ({ ...option, isRequired: option.flag === '--name' }));
  protected override readonly switches = [SHARED_TIN_SWITCH];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const tenant = await inFlags(
      this.tenants.create(toProfileChange(given), { isTinShared: this.isOn(SHARED_TIN_SWITCH) }),
    );
    const { tenantId } = tenant;
    const { verification, note } = await buildVerificationNote(this.dataSource, tenantId);
    const doubts = findProfileDoubts(tenant);
    const text = `Tenant ${tenantId} created.${missingNote(tenant)}${note}${buildDoubtNote(doubts)}`;
    return { json: { tenantId, verification, doubts }, text };
  }
}

@SubCommand({ name: 'update', description: 'change the given profile fields; an empty text clears a field' })
export class TenantUpdateCommand extends OperatorCommand {
  protected readonly options = [TENANT_OPTION, ...profileOptions];
  protected override readonly switches = [SHARED_TIN_SWITCH];

  protected async execute({ tenant, ...given }: Record<string, string | undefined>): Promise<Report> {
    const change = toProfileChange(given);
    if (Object.keys(change).length === 0) throw new OperatorError(NOTHING_TO_CHANGE);
    const tenantId = parseUuid('--tenant', tenant);
    const isTinShared = this.isOn(SHARED_TIN_SWITCH);
    const updated = await inFlags(this.tenants.update(tenantId, change, { isTinShared }));
    const { verification, note } = await buildVerificationNote(this.dataSource, tenantId);
    const doubts = findProfileDoubts(updated);
    const text = `Tenant ${tenantId} changed.${missingNote(updated)}${note}${buildDoubtNote(doubts)}`;
    return { json: { tenantId, verification, doubts }, text };
  }
}

@SubCommand({ name: 'list', description: 'list all organisations' })
export class TenantListCommand extends OperatorCommand {
  protected readonly options = [];

  protected async execute(): Promise<Report> {
    const verifications = await listVerifications(this.dataSource.manager);
    const tenants = (await this.tenants.list()).map((tenant) =>
      Object.assign({}, tenant, { verification: verifications.get(tenant.tenantId) ?? UNVERIFIED_EVERYWHERE }),
    );
    const text = formatTable(
      tenants,
      [
        ['tenant', (tenant) => tenant.tenantId],
        ['name', (tenant) => tenant.name],
        ['TIN', (tenant) => tenant.tin],
        ['sandbox', (tenant) => tenant.verification.sandbox],
        ['production', (tenant) => tenant.verification.production],
        ['missing', (tenant) => listMissing(tenant).join(', ') || null],
      ],
      'There are no tenants yet: create one with "tenant create"',
    );
    return { json: { tenants: tenants.map(toJson) }, text };
  }
}

@SubCommand({ name: 'show', description: "show an organisation's profile and verification" })
export class TenantShowCommand extends OperatorCommand {
  protected readonly options = [TENANT_OPTION];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const tenant = await this.tenants.show(parseUuid('--tenant', given.tenant));
    const [evidence] = await readEvidence(this.dataSource.manager, { tenantId: tenant.tenantId });
    const missing = listMissing(tenant).join(', ') || null;
    const text = formatLines([...Object.entries(tenant), ['missing', missing], ...formatEvidence(evidence)]);
    return { json: { ...toJson(tenant), verification: toEvidenceJson(evidence) }, text };
  }
}

@Command({
  name: 'tenant',
  description: 'organisations: create, update, list, show, limit, verify, refuse',
  subCommands: [
    TenantCreateCommand,
    TenantUpdateCommand,
    TenantListCommand,
    TenantShowCommand,
    TenantLimitCommand,
    TenantVerifyCommand,
    TenantRefuseCommand,
  ],
})
export class TenantCommands extends CommandGroup {}

const NOTHING_TO_CHANGE = 'No fields to change: give at least one profile option';

function toJson(tenant: Tenant): object {
  return Object.assign({}, tenant, { missing: listMissing(tenant) });
}

function missingNote(tenant: Tenant): string {
  const missing = listMissing(tenant);
  return missing.length === 0 ? '' : ` Before it can submit, complete its profile: ${missing.join(', ')}.`;
}

function buildDoubtNote(doubts: readonly ProfileDoubt[]): string {
  return doubts.map(({ field, message, hint }) => `\nWarning: ${findFlag(field)}: ${message}; ${hint}.`).join('');
}

/** Converts validation errors of a profile. @throws OperatorError that lists every wrong option */
async function inFlags(work: Promise<Tenant>): Promise<Tenant> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const sentences = error.problems.map(({ pointer, message, hint }) =>
      [`${findFlag(toFieldPath(pointer))} ${message}`, hint].filter((part) => part !== undefined).join('; '),
    );
    throw new OperatorError(sentences.join('\n'));
  }
}
