import { Command, SubCommand } from 'nest-commander';
import { ValidationError } from '../errors/api-error.js';
import { OperatorError } from '../errors/operator-error.js';
import { toFieldPath } from '../errors/problem.js';
import type { Tenant } from '../entities/tenant.entity.js';
import { findProfileDoubts, type ProfileDoubt } from '../tenants/profile-doubts.js';
import { listMissing } from '../tenants/supplier.js';
import { readEvidence } from '../tenants/verification/evidence.js';
import { listVerifications, UNVERIFIED_EVERYWHERE } from '../tenants/verification/verification.sql.js';
import { TenantLimitCommand } from './limit.command.js';
import { CommandGroup, type CommandOption, OperatorCommand, TENANT_OPTION, parseUuid } from './operator-command.js';
import { toProfileChange, findFlag, PROFILE_OPTIONS } from './profile-options.js';
import { formatLines, type Report, formatTable } from './output.js';
import {
  toEvidenceJson,
  formatEvidence,
  SHARED_TIN_SWITCH,
  TenantRefuseCommand,
  TenantVerifyCommand,
  buildVerificationNote,
} from './verification.commands.js';

const profileOptions: readonly CommandOption[] = PROFILE_OPTIONS.map(({ flag, description }) => ({
  flag,
  description,
  value: 'text',
}));

@SubCommand({ name: 'create', description: 'make an organisation; the other fields of a supplier may follow' })
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
    const text = `Tenant ${tenantId} made.${missingNote(tenant)}${note}${buildDoubtNote(doubts)}`;
    return { json: { tenantId, verification, doubts }, text };
  }
}

@SubCommand({ name: 'update', description: 'change the fields whose options are given; an empty text clears one' })
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

@SubCommand({ name: 'list', description: 'every organisation' })
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
      'There are no tenants yet: make one with "tenant create"',
    );
    return { json: { tenants: tenants.map(toJson) }, text };
  }
}

@SubCommand({ name: 'show', description: "one organisation's whole profile" })
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

const NOTHING_TO_CHANGE = 'Nothing to change: give the options for the new values';

function toJson(tenant: Tenant): object {
  return Object.assign({}, tenant, { missing: listMissing(tenant) });
}

function missingNote(tenant: Tenant): string {
  const missing = listMissing(tenant);
  return missing.length === 0 ? '' : ` Before it can submit, its profile needs: ${missing.join(', ')}.`;
}

function buildDoubtNote(doubts: readonly ProfileDoubt[]): string {
  return doubts.map(({ field, message, hint }) => `\nWarning: ${findFlag(field)}: ${message}; ${hint}.`).join('');
}

/** What is wrong with a profile, said of the options that set it. @throws OperatorError naming every wrong option */
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
