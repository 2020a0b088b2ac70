import { SubCommand } from 'nest-commander';
import { DataSource } from 'typeorm';
import { COMMAND_ACTOR } from '../accounts/audit.js';
import { OperatorError } from '../errors/operator-error.js';
import { type Environment } from '../config/environment.js';
import { decide, type OperatorDecision } from '../tenants/verification/decisions.js';
import {
  type EnvironmentEvidence,
  type OtherOrganisation,
  readEvidence,
  type VerificationEvidence,
} from '../tenants/verification/evidence.js';
import { readVerifications, type VerificationByEnvironment } from '../tenants/verification/verification.sql.js';
import {
  type CommandOption,
  ENVIRONMENT_OPTION,
  parseEnvironment,
  parseText,
  type CommandSwitch,
  OperatorCommand,
  TENANT_OPTION,
  parseUuid,
} from './operator-command.js';
import { type Cell, formatLines, type Report } from './output.js';

const REASON_CHARACTERS_MAX = 500;

export const SHARED_TIN_SWITCH: CommandSwitch = {
  flag: '--shared-tin',
  description: 'verify even if another organisation is verified for the TIN; both then share it',
};

@SubCommand({ name: 'verify', description: 'verify that an organisation owns its TIN, so that it may submit' })
export class TenantVerifyCommand extends OperatorCommand {
  protected readonly options = [TENANT_OPTION, ENVIRONMENT_OPTION];
  protected override readonly switches = [SHARED_TIN_SWITCH];

  protected execute(given: Record<string, string | undefined>): Promise<Report> {
    const isShared = this.isOn(SHARED_TIN_SWITCH);
    return decideByCommand(this.dataSource, { ...readTarget(given), status: 'verified', isShared });
  }
}

@SubCommand({
  name: 'refuse',
  description: 'refuse an organisation that does not own its TIN, so that it may not submit',
})
export class TenantRefuseCommand extends OperatorCommand {
  protected readonly options: readonly CommandOption[] = [
    TENANT_OPTION,
    ENVIRONMENT_OPTION,
    { flag: '--reason', value: 'text', description: 'reason, which the organisation can read', isRequired: true },
  ];

  protected execute(given: Record<string, string | undefined>): Promise<Report> {
    const reason = parseText('--reason', given.reason, REASON_CHARACTERS_MAX);
    return decideByCommand(this.dataSource, { ...readTarget(given), status: 'refused', reason });
  }
}

function readTarget(given: Record<string, string | undefined>): { tenantId: string; environment: Environment } {
  return { environment: parseEnvironment(given.environment), tenantId: parseUuid('--tenant', given.tenant) };
}

async function decideByCommand(dataSource: DataSource, decision: OperatorDecision): Promise<Report> {
  const { tenantId, environment, status } = decision;
  try {
    const evidence = await dataSource.transaction((tx) => decide(tx, decision, COMMAND_ACTOR));
    const json = { tenantId, environment, status, ...toEvidenceJson(evidence) };
    return { json, text: formatLines([['tenant', tenantId], ['name', evidence.name], ...formatEvidence(evidence)]) };
  } catch (error) {
    const [evidence] = await readEvidence(dataSource.manager, { tenantId });
    if (!(error instanceof OperatorError) || evidence === undefined || evidence.others.length === 0) throw error;
    throw new OperatorError(
      `${error.message}. Other organisations with this TIN: ${evidence.others.map(describeOrganisation).join('; ')}`,
    );
  }
}

export function toEvidenceJson(evidence: VerificationEvidence): object {
  const { name, tin, idType, idValue, signUpEmail, environments, others } = evidence;
  const signUp = signUpEmail === null ? null : { email: signUpEmail, isProven: false };
  return { name, tin, idType, idValue, signUp, environments, others };
}

export function formatEvidence(evidence: VerificationEvidence): [label: string, value: Cell][] {
  const { tin, idType, idValue, signUpEmail, environments, others } = evidence;
  return [
    ['TIN', tin],
    ['registration', idType === null ? null : `${idType} ${idValue}`],
    ['signed up by', signUpEmail === null ? '- (created by an operator)' : `${signUpEmail} (not proven)`],
    ...environments.flatMap((each): [string, Cell][] => [
      [each.environment, describeStatus(each)],
      [`${each.environment} appointment`, describeAppointment(each)],
    ]),
    ['same TIN', others.length === 0 ? 'no other organisation' : others.map(describeOrganisation).join('; ')],
  ];
}

function describeStatus({ status, isShared, reason, decidedBy }: EnvironmentEvidence): string {
  const by = decidedBy === null ? '' : ` by ${decidedBy}`;
  return `${status}${isShared ? ', as a shared TIN' : ''}${by}${reason === null ? '' : `: ${reason}`}`;
}

function describeAppointment({ isAppointed, isIdConfirmed }: EnvironmentEvidence): string {
  if (isAppointed === null) return 'not checked';
  if (!isAppointed) return 'the authority does not permit the service to act for this TIN';
  return isIdConfirmed === true ? 'confirmed for this TIN and id' : 'confirmed, but not for this TIN with this id';
}

function describeOrganisation({ tenantId, name, idType, idValue, sandbox, production }: OtherOrganisation): string {
  const id = idType === null ? 'no id' : `${idType} ${idValue}`;
  return `${name} (${tenantId}, ${id}, sandbox ${sandbox}, production ${production})`;
}

/** Returns an organisation's verification after a change, with a note about decisions that are still required. */
export async function buildVerificationNote(
  dataSource: DataSource,
  tenantId: string,
): Promise<{ verification: VerificationByEnvironment; note: string }> {
  const stands = await readVerifications(dataSource.manager, tenantId);
  const verification = Object.fromEntries(
    stands.map(({ environment, status }) => [environment, status]),
  ) as VerificationByEnvironment;
  const waiting = stands.filter(({ status }) => status === 'waiting').map(({ environment }) => environment);
  if (waiting.length === 0) return { verification, note: '' };
  const [evidence] = await readEvidence(dataSource.manager, { tenantId });
  const others = evidence.others.map(describeOrganisation).join('; ');
  const note =
    ` It waits for verification in ${waiting.join(' and ')} because another organisation is verified for this TIN: ` +
    `${others}. Decide with "tenant verify --shared-tin" or "tenant refuse".`;
  return { verification, note };
}
