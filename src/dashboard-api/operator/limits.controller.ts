import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import type { Actor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import type { OwnFigures } from '../../rate-limits/limits.js';
import { changeOwnFigures } from '../../rate-limits/organisation-limits.js';
import { readAs } from '../../http/validation/read-body.js';
import { Access, CurrentActor } from '../session/access.js';
import { ChangeLimitsDto, OwnLimitsDto } from './dto/operator.dto.js';
import { OperatorDatabase } from './operator-database.js';

@ApiTags('Operators')
@Controller('dashboard/operator')
export class OperatorLimitsController {
  constructor(private readonly database: OperatorDatabase) {}

  @Post('organisations/:tenantId/rate-limits')
  @HttpCode(HttpStatus.OK)
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiOperation({ operationId: 'changeRateLimits', summary: 'Set the rate limits of an organisation, all of them' })
  @ApiOkResponse({ type: OwnLimitsDto })
  async change(
    @Param('tenantId') tenantId: string,
    @Body(readAs(ChangeLimitsDto)) body: ChangeLimitsDto,
    @CurrentActor() actor: Actor,
  ): Promise<OwnFigures> {
    const { requests = null, submits = null, tinChecks = null } = body;
    const change = { requests, submits, tinChecks };
    const figures = isUuid(tenantId)
      ? await this.database.change((tx) => changeOwnFigures(tx, actor, { tenantId, change }))
      : null;
    if (figures === null) throw new DashboardError('not_found_here', { message: 'There is no such organisation' });
    return figures;
  }
}
