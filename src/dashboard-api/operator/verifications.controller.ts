import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import type { Actor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { Compressed } from '../../http/compression.js';
import { readAs } from '../../http/validation/read-body.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { PageQuery, readPage } from '../cursor.js';
import { checkParameters, createChoiceRule, readParameter } from '../query-parameters.js';
import { Access, CurrentActor } from '../session/access.js';
import {
  RefuseTaxpayerDto,
  VerificationEvidenceDto,
  VerificationEvidencesDto,
  VerifyTaxpayerDto,
} from './dto/operator-verifications.dto.js';
import { OperatorVerificationsService } from './verifications.service.js';

const STATUSES = ['open', 'all'];
const PARAMETERS = {
  status: createChoiceRule(STATUSES, 'leave it out for open'),
  tenantId: { isKept: isUuid, message: 'must be an id', hint: 'the list of organisations shows their ids' },
};

interface VerificationParams {
  readonly tenantId: string;
  readonly environment: string;
}

@ApiTags('Operators')
@Controller('dashboard/operator')
export class OperatorVerificationsController {
  constructor(private readonly verifications: OperatorVerificationsService) {}

  @Get('verifications')
  @Compressed()
  @Access('operator')
  @PageQuery()
  @ApiQuery({ name: 'status', required: false, enum: STATUSES, description: '`open` when left out.' })
  @ApiQuery({ name: 'tenantId', required: false, type: String, description: 'This organisation alone, open or not.' })
  @ApiOperation({
    operationId: 'listVerifications',
    summary: 'Organisations with what shows whose their TIN is, the newest first',
  })
  @ApiOkResponse({ type: VerificationEvidencesDto })
  list(@Query() query: unknown): Promise<VerificationEvidencesDto> {
    checkParameters(query, PARAMETERS);
    const tenantId = readParameter(query, 'tenantId');
    const isOpen = tenantId === null && readParameter(query, 'status') !== 'all';
    return this.verifications.list({ tenantId, isOpen }, readPage(query));
  }

  @Post('verifications/:tenantId/:environment/verify')
  @HttpCode(HttpStatus.OK)
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiParam({ name: 'environment', enum: ENVIRONMENTS })
  @ApiOperation({ operationId: 'verifyTaxpayer', summary: 'The TIN is the organisation’s: it may submit' })
  @ApiOkResponse({ type: VerificationEvidenceDto })
  verify(
    @Param() params: VerificationParams,
    @Body(readAs(VerifyTaxpayerDto)) { sharing, tin, idType, idValue, status }: VerifyTaxpayerDto,
    @CurrentActor() actor: Actor,
  ): Promise<VerificationEvidenceDto> {
    const seen = { tin, idType, idValue, status };
    const decision = { ...readTarget(params), status: 'verified', isShared: sharing === 'shared', seen } as const;
    return this.verifications.decide(decision, actor);
  }

  @Post('verifications/:tenantId/:environment/refuse')
  @HttpCode(HttpStatus.OK)
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiParam({ name: 'environment', enum: ENVIRONMENTS })
  @ApiOperation({ operationId: 'refuseTaxpayer', summary: 'The organisation may not submit for this TIN' })
  @ApiOkResponse({ type: VerificationEvidenceDto })
  refuse(
    @Param() params: VerificationParams,
    @Body(readAs(RefuseTaxpayerDto)) { reason, tin, idType, idValue, status }: RefuseTaxpayerDto,
    @CurrentActor() actor: Actor,
  ): Promise<VerificationEvidenceDto> {
    const seen = { tin, idType, idValue, status };
    return this.verifications.decide({ ...readTarget(params), status: 'refused', reason, seen }, actor);
  }
}

/** @throws DashboardError (404) for what cannot be an organisation and an environment */
function readTarget({ tenantId, environment }: VerificationParams): { tenantId: string; environment: Environment } {
  const known = ENVIRONMENTS.find((name) => name === environment);
  if (known !== undefined && isUuid(tenantId)) return { tenantId, environment: known };
  throw new DashboardError('not_found_here', { message: 'There is no such organisation or environment' });
}

/** @throws ValidationError (400) naming the parameter */
