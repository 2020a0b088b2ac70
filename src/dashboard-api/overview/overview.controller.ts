import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import { checkParameters, oneOf, Parameter, parameterOf } from '../days-query.js';
import { PlaceParams } from '../place-params.js';
import { Access, MemberAsCaller } from '../session/access.js';
import { OverviewDto } from './dto/overview.dto.js';
import { OverviewService } from './overview.service.js';

const DAY_COUNTS: readonly string[] = ['7', '30', '90'];

@ApiTags('Overview')
@Controller('dashboard/organisations/:tenantId/:environment')
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  @Get('overview')
  @Access('viewer')
  @ApiOperation({ operationId: 'getOverview', summary: 'Documents by day and outcome, what waits, what fails most' })
  @PlaceParams()
  @Parameter('days', 'How many days, today with them.', { enum: DAY_COUNTS, default: '30' })
  @ApiOkResponse({ type: OverviewDto })
  show(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<OverviewDto> {
    checkParameters(query, { days: oneOf(DAY_COUNTS, 'leave it out for 30') });
    return this.overview.read(caller, Number(parameterOf(query, 'days') ?? '30'));
  }
}
