import { Inject } from '@nestjs/common';
import { Command, SubCommand } from 'nest-commander';
import { ValidationError } from '../common/errors.js';
import { OperatorError } from '../common/operator-error.js';
import { pathOf } from '../common/problem.js';
import type { Tenant } from '../entities/tenant.entity.js';
import { supplierOf } from '../tenants/supplier.js';
import { TenantService } from '../tenants/tenant.service.js';
import { CommandGroup, type CommandOption, OperatorCommand, TENANT_OPTION, uuidOf } from './operator-command.js';
import { changeOf, flagOf, PROFILE_OPTIONS } from './profile-options.js';
import { lines, type Report, REPORT_PRINTER, type ReportPrinter, table } from './output.js';

const profileOptions: readonly CommandOption[] = PROFILE_OPTIONS.map(({ flag, description }) => ({
  flag,
  description,
  value: 'text',
}));

@SubCommand({ name: 'create', description: 'make an organisation; what a supplier needs beside a name may follow' })
export class TenantCreateCommand extends OperatorCommand {
  protected readonly options = profileOptions.map((option) => ({ ...option, isRequired: option.flag === '--name' }));

  constructor(
    @Inject(REPORT_PRINTER) printer: ReportPrinter,
    private readonly tenants: TenantService,
  ) {
    super(printer);
  }

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const tenant = await inFlags(this.tenants.create(changeOf(given)));
    return { json: { tenantId: tenant.tenantId }, text: `Tenant ${tenant.tenantId} made.${missingNote(tenant)}` };
  }
}

@SubCommand({ name: 'update', description: 'change the fields whose options are given; an empty text clears one' })
export class TenantUpdateCommand extends OperatorCommand {
  protected readonly options = [TENANT_OPTION, ...profileOptions];

  constructor(
    @Inject(REPORT_PRINTER) printer: ReportPrinter,
    private readonly tenants: TenantService,
  ) {
    super(printer);
  }

  protected async execute({ tenant, ...given }: Record<string, string | undefined>): Promise<Report> {
    if (Object.keys(given).length === 0) throw new OperatorError('Nothing to change: give the options of what changes');
    const updated = await inFlags(this.tenants.update(uuidOf('--tenant', tenant), changeOf(given)));
    return { json: { tenantId: updated.tenantId }, text: `Tenant ${updated.tenantId} changed.${missingNote(updated)}` };
  }
}

@SubCommand({ name: 'list', description: 'every organisation' })
export class TenantListCommand extends OperatorCommand {
  protected readonly options = [];

  constructor(
    @Inject(REPORT_PRINTER) printer: ReportPrinter,
    private readonly tenants: TenantService,
  ) {
    super(printer);
  }

  protected async execute(): Promise<Report> {
    const tenants = await this.tenants.list();
    const text = table(
      tenants,
      [
        ['tenant', (tenant) => tenant.tenantId],
        ['name', (tenant) => tenant.name],
        ['TIN', (tenant) => tenant.tin],
        ['missing', (tenant) => missingOf(tenant).join(', ') || null],
      ],
      'There are no tenants yet: make one with "tenant create"',
    );
    return { json: { tenants: tenants.map(jsonOf) }, text };
  }
}

@SubCommand({ name: 'show', description: "one organisation's whole profile" })
export class TenantShowCommand extends OperatorCommand {
  protected readonly options = [TENANT_OPTION];

  constructor(
    @Inject(REPORT_PRINTER) printer: ReportPrinter,
    private readonly tenants: TenantService,
  ) {
    super(printer);
  }

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const tenant = await this.tenants.show(uuidOf('--tenant', given.tenant));
    const missing = missingOf(tenant).join(', ') || null;
    return { json: jsonOf(tenant), text: lines([...Object.entries(tenant), ['missing', missing]]) };
  }
}

@Command({
  name: 'tenant',
  description: 'organisations: create, update, list, show',
  subCommands: [TenantCreateCommand, TenantUpdateCommand, TenantListCommand, TenantShowCommand],
})
export class TenantCommands extends CommandGroup {}

function jsonOf(tenant: Tenant): object {
  return Object.assign({}, tenant, { missing: missingOf(tenant) });
}

function missingOf(tenant: Tenant): string[] {
  const supplier = supplierOf(tenant);
  return 'missing' in supplier ? supplier.missing : [];
}

function missingNote(tenant: Tenant): string {
  const missing = missingOf(tenant);
  return missing.length === 0 ? '' : ` Before it can submit, its profile needs: ${missing.join(', ')}.`;
}

/** What is wrong with a profile, said of the options that set it. @throws OperatorError naming every wrong option */
async function inFlags(work: Promise<Tenant>): Promise<Tenant> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const sentences = error.problems.map(({ pointer, message, hint }) =>
      [`${flagOf(pathOf(pointer))} ${message}`, hint].filter((part) => part !== undefined).join('; '),
    );
    throw new OperatorError(sentences.join('\n'));
  }
}
