import { SubCommand } from 'nest-commander';
import { COMMAND_ACTOR } from '../audit/audit.js';
import { PER_MINUTE_MAX } from '../config/rate-limit-settings.js';
import { OperatorError } from '../errors/operator-error.js';
import { KIND_WORDS, LIMITED_KINDS, type LimitedKind, type OwnFigures } from '../rate-limits/limits.js';
import { changeOwnFigures } from '../rate-limits/organisation-limits.js';
import { OperatorCommand, parseInteger, parseUuid, TENANT_OPTION, toOptionName } from './operator-command.js';
import { formatLines, type Report } from './output.js';

const FLAGS = LIMITED_KINDS.map((kind) => ({ kind, flag: `--${KIND_WORDS[kind].name}-per-minute` }));
const USUAL = 'default';

@SubCommand({ name: 'limit', description: "show or set an organisation's rate limits, of all its keys together" })
export class TenantLimitCommand extends OperatorCommand {
  protected readonly options = [
    TENANT_OPTION,
    ...FLAGS.map(({ kind, flag }) => ({
      flag,
      value: 'number',
      description: `${KIND_WORDS[kind].words} a minute; 0: any number; ${USUAL}: what the settings say`,
    })),
  ];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const tenantId = parseUuid('--tenant', given.tenant);
    const change = Object.fromEntries(
      FLAGS.flatMap(({ kind, flag }): [LimitedKind, number | null][] => {
        const text = given[toOptionName(flag)];
        return text === undefined ? [] : [[kind, parseFigure(flag, text)]];
      }),
    ) as Partial<OwnFigures>;
    const figures = await this.dataSource.transaction((tx) =>
      changeOwnFigures(tx, COMMAND_ACTOR, { tenantId, change }),
    );
    if (figures === null) throw new OperatorError(`There is no tenant ${tenantId}; see "tenant list"`);
    const lines = LIMITED_KINDS.map((kind): [string, number | string] => [
      `${KIND_WORDS[kind].words} a minute`,
      figures[kind] ?? USUAL,
    ]);
    return { json: { tenantId, ...figures }, text: formatLines([['tenant', tenantId], ...lines]) };
  }
}

function parseFigure(flag: string, text: string): number | null {
  return text === USUAL ? null : parseInteger(flag, text, { min: 0, max: PER_MINUTE_MAX });
}
