import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import {
  checkParameters,
  createChoiceRule,
  Parameter,
  readParameter,
  OrganisationEnvironmentParams,
} from '../parameters.js';
import { CompressedResponse } from '../responses.js';
import { Access, MemberAsCaller } from '../session/access.js';
import { OutageStateDto, OverviewDto } from './dto/overview.dto.js';
import { OverviewService } from './overview.service.js';

const DAY_COUNTS: readonly string[] = ['7', '30', '90'];

@ApiTags('Overview')
@OrganisationEnvironmentParams()
@Controller('dashboard/organisations/:tenantId/:environment')
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  @Get('overview')
  @Access('viewer')
  @ApiOperation({
    operationId: 'getOverview',
    summary: 'Get documents by day and status, waiting documents and failures',
  })
  @Parameter('days', 'Number of days, including today.', { enum: DAY_COUNTS, default: '30' })
  @CompressedResponse(OverviewDto)
  show(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<OverviewDto> {
    checkParameters(query, { days: createChoiceRule(DAY_COUNTS, 'leave it out for 30') });
    return this.overview.read(caller, Number(readParameter(query, 'days') ?? '30'));
  }

  @Get('outage')
  @Access('viewer')
  @ApiOperation({ operationId: 'getOutage', summary: 'Get the outage that affects all organisations, if any' })
  @CompressedResponse(OutageStateDto)
  outage(@MemberAsCaller() caller: AuthenticatedCaller): Promise<OutageStateDto> {
    return this.overview.readOutage(caller);
  }
}
