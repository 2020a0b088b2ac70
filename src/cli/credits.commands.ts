import { Inject } from '@nestjs/common';
import { Command, SubCommand } from 'nest-commander';
import { CreditAudit } from '../credits/credit-audit.js';
import { CreditLedger, GRANT_CREDITS_MAX } from '../credits/credit-ledger.js';
import { nameCredits } from '../credits/lots.js';
import { OperatorError } from '../errors/operator-error.js';
import {
  CommandGroup,
  type CommandOption,
  parseInteger,
  OperatorCommand,
  TENANT_OPTION,
  parseUuid,
} from './operator-command.js';
import { type Report, formatTable } from './output.js';

const STATEMENT_ENTRIES_DEFAULT = 50;
const STATEMENT_ENTRIES_MAX = 1_000;

@SubCommand({ name: 'grant', description: 'add prepaid credits' })
export class CreditsGrantCommand extends OperatorCommand {
  @Inject(CreditLedger) private readonly ledger: CreditLedger;
  protected readonly options: readonly CommandOption[] = [
    TENANT_OPTION,
    { flag: '--credits', value: 'n', description: 'number of credits', isRequired: true },
    {
      flag: '--expires-at',
      value: 'date',
      description: 'last day in Malaysia, such as 2027-12-31; default: 12 months',
    },
    { flag: '--environment', value: 'name', description: 'sandbox for sandbox credits; default: both' },
  ];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const tenantId = parseUuid('--tenant', given.tenant);
    const credits = parseInteger('--credits', given.credits ?? '', { min: 1, max: GRANT_CREDITS_MAX });
    const environment = parseLotEnvironment(given.environment);
    const grant = { tenantId, credits, lastDay: given.expiresAt, environment };
    const { balance, expiresAt } = await this.ledger.grant(grant);
    return {
      json: { balance, expiresAt },
      text: `${nameCredits(credits, environment ?? null)} granted, spendable until ${expiresAt.toISOString()}. Balance: ${balance}.`,
    };
  }
}

function parseLotEnvironment(text: string | undefined): 'sandbox' | undefined {
  if (text === undefined || text === 'sandbox') return text;
  throw new OperatorError(
    `--environment must be sandbox, not "${text}"; omit it to grant credits for both environments`,
  );
}

@SubCommand({ name: 'balance', description: 'show the spendable credits and their expiry' })
export class CreditsBalanceCommand extends OperatorCommand {
  @Inject(CreditLedger) private readonly ledger: CreditLedger;
  protected readonly options = [TENANT_OPTION];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const { tenantId } = await this.tenants.show(parseUuid('--tenant', given.tenant));
    const { balance, sandboxOnly, lots } = await this.ledger.readBalance(tenantId);
    const lotTable = formatTable(
      lots,
      [
        ['remaining', (lot) => lot.remaining],
        ['granted', (lot) => lot.granted],
        ['expires', (lot) => lot.expiresAt],
        ['only in', (lot) => lot.environment],
      ],
      'No spendable credits: grant some with "credits grant"',
    );
    const forSandbox = sandboxOnly === 0 ? '' : ` (${sandboxOnly} of them only for the sandbox)`;
    return { json: { balance, sandboxOnly, lots }, text: `Balance: ${balance}${forSandbox}\n${lotTable}` };
  }
}

@SubCommand({ name: 'statement', description: 'list the latest entries, newest first' })
export class CreditsStatementCommand extends OperatorCommand {
  @Inject(CreditLedger) private readonly ledger: CreditLedger;
  protected readonly options: readonly CommandOption[] = [
    TENANT_OPTION,
    { flag: '--limit', value: 'n', description: `maximum number of entries; default: ${STATEMENT_ENTRIES_DEFAULT}` },
  ];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const limit = parseInteger('--limit', given.limit ?? String(STATEMENT_ENTRIES_DEFAULT), {
      min: 1,
      max: STATEMENT_ENTRIES_MAX,
    });
    const { tenantId } = await this.tenants.show(parseUuid('--tenant', given.tenant));
    const entries = await this.ledger.readStatement(tenantId, limit);
    const text = formatTable(
      entries,
      [
        ['entry', (entry) => entry.sequence],
        ['at', (entry) => entry.createdAt],
        ['kind', (entry) => entry.kind],
        ['amount', (entry) => entry.amount],
        ['balance', (entry) => entry.balanceAfter],
        ['environment', (entry) => entry.environment],
        ['cause', (entry) => entry.causeId],
      ],
      'No entries yet',
    );
    return { json: { entries }, text };
  }
}

@SubCommand({
  name: 'audit',
  description: 'check the credits against their entries and against the documents that they paid for',
})
export class CreditsAuditCommand extends OperatorCommand {
  @Inject(CreditAudit) private readonly audit: CreditAudit;
  protected readonly options: readonly CommandOption[] = [
    { ...TENANT_OPTION, description: `${TENANT_OPTION.description}; default: all`, isRequired: false },
  ];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const tenantId = given.tenant === undefined ? null : parseUuid('--tenant', given.tenant);
    if (tenantId !== null) await this.tenants.show(tenantId);
    const deviations = await this.audit.auditAll(tenantId);
    const text = formatTable(
      deviations,
      [
        ['tenant', (row) => row.tenantId],
        ['deviation', (row) => row.deviation],
        ['of', (row) => row.subject],
        ['expected', (row) => row.expected],
        ['found', (row) => row.found],
      ],
      'No deviations',
    );
    const failure = deviations.length === 0 ? undefined : `The audit found ${deviations.length} deviations`;
    return { json: { deviations }, text, failure };
  }
}

@Command({
  name: 'credits',
  description: 'prepaid credits: grant, balance, statement, audit',
  subCommands: [CreditsGrantCommand, CreditsBalanceCommand, CreditsStatementCommand, CreditsAuditCommand],
})
export class CreditsCommands extends CommandGroup {}
