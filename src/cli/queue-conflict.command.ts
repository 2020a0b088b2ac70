import { SubCommand } from 'nest-commander';
import { COMMAND_ACTOR } from '../audit/audit.js';
import type { UuidConflict } from '../database/migrations/uuid-conflicts.js';
import { normaliseUuid } from '../documents/parent-uuid.js';
import { readUuidConflicts, settleUuidConflict } from '../queue-operations/uuid-conflicts.js';
import { ENVIRONMENT_OPTION, OperatorCommand, parseEnvironment, parseUuid } from './operator-command.js';
import { type Column, type Report, formatTable } from './output.js';

const COLUMNS: readonly Column<UuidConflict>[] = [
  ['uuid', (conflict) => conflict.authorityUuid],
  ['environment', (conflict) => conflict.environment],
  ['transaction', (conflict) => conflict.transactionId],
  ['type', (conflict) => conflict.documentType],
  ['number', (conflict) => conflict.referenceId],
  ['status', (conflict) => conflict.authorityStatus],
  ['tenant', (conflict) => conflict.tenantId],
  ['name', (conflict) => conflict.tenantName],
];

@SubCommand({
  name: 'conflict',
  arguments: '[uuid]',
  argsDescription: { uuid: "the authority's uuid that several documents hold; without it, all such are listed" },
  description: 'list uuids of the authority that several documents hold, or leave one to its document',
})
export class QueueConflictCommand extends OperatorCommand {
  protected readonly options = [
    { ...ENVIRONMENT_OPTION, isRequired: false },
    {
      flag: '--keep',
      value: 'transaction',
      description: 'the transaction whose uuid it is; the others become Invalid',
    },
  ];

  protected async execute(
    given: Readonly<Record<string, string | undefined>>,
    [uuid]: readonly (string | undefined)[],
  ): Promise<Report> {
    if (uuid === undefined) {
      const conflicts = await readUuidConflicts(this.dataSource.manager);
      return { json: { conflicts }, text: formatTable(conflicts, COLUMNS, 'Every uuid belongs to one document.') };
    }
    const authorityUuid = normaliseUuid(uuid);
    const settled = await this.dataSource.transaction((tx) =>
      settleUuidConflict(
        tx,
        { authorityUuid, environment: parseEnvironment(given.environment), keep: parseUuid('--keep', given.keep) },
        COMMAND_ACTOR,
      ),
    );
    const { kept, lost } = settled;
    const names = lost.map(({ documentType, referenceId }) => `${documentType} ${referenceId}`).join(', ');
    return {
      json: settled,
      text: `${authorityUuid} is ${kept.documentType} ${kept.referenceId}'s; Invalid now: ${names}`,
    };
  }
}
