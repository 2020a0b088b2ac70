import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import type { Actor } from '../../accounts/audit.js';
import { Tenant } from '../../entities/tenant.entity.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { readAs } from '../../http/validation/read-body.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { decide, type OperatorDecision } from '../../tenants/verification/decisions.js';
import { readEvidence, type VerificationEvidence } from '../../tenants/verification/evidence.js';
import { PageQuery, readPage, toPage } from '../cursor.js';
import { checkParameters, createChoiceRule, readParameter } from '../parameters.js';
import { CompressedResponse, OkResponse } from '../responses.js';
import { Access, CurrentActor } from '../session/access.js';
import {
  RefuseTaxpayerDto,
  VerificationEvidenceDto,
  VerificationEvidencesDto,
  VerifyTaxpayerDto,
} from './dto/operator-verifications.dto.js';
import { OperatorDatabase } from './operator-database.js';

const STATUSES = ['open', 'all'];
const PARAMETERS = {
  status: createChoiceRule(STATUSES, 'leave it out for open'),
  tenantId: { isKept: isUuid, message: 'must be an id', hint: 'copy it from the list of organisations' },
};

interface VerificationParams {
  readonly tenantId: string;
  readonly environment: string;
}

@ApiTags('Operators')
@Controller('dashboard/operator')
export class OperatorVerificationsController {
  constructor(private readonly database: OperatorDatabase) {}

  @Get('verifications')
  @Access('operator')
  @PageQuery()
  @ApiQuery({ name: 'status', required: false, enum: STATUSES, description: '`open` by default.' })
  @ApiQuery({
    name: 'tenantId',
    required: false,
    type: String,
    description: 'Limits the list to one organisation, with any status.',
  })
  @ApiOperation({
    operationId: 'listVerifications',
    summary: 'List organisations with the evidence for their TIN, newest first',
  })
  @CompressedResponse(VerificationEvidencesDto)
  list(@Query() query: unknown): Promise<VerificationEvidencesDto> {
    checkParameters(query, PARAMETERS);
    const tenantId = readParameter(query, 'tenantId');
    const isOpen = tenantId === null && readParameter(query, 'status') !== 'all';
    const page = readPage(query);
    return this.database.read(async (manager) => {
      const rows = await readEvidence(manager, { tenantId, isOpen, after: page.after, count: page.limit + 1 });
      return toPage(rows, page, (row) => row.tenantId);
    });
  }

  @Post('verifications/:tenantId/:environment/verify')
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiParam({ name: 'environment', enum: ENVIRONMENTS })
  @ApiOperation({ operationId: 'verifyTaxpayer', summary: 'Confirm that the TIN belongs to the organisation' })
  @OkResponse(VerificationEvidenceDto)
  verify(
    @Param() params: VerificationParams,
    @Body(readAs(VerifyTaxpayerDto)) { sharing, tin, idType, idValue, status }: VerifyTaxpayerDto,
    @CurrentActor() actor: Actor,
  ): Promise<VerificationEvidenceDto> {
    const seen = { tin, idType, idValue, status };
    const decision = { ...readTarget(params), status: 'verified', isShared: sharing === 'shared', seen } as const;
    return this.decide(decision, actor);
  }

  @Post('verifications/:tenantId/:environment/refuse')
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiParam({ name: 'environment', enum: ENVIRONMENTS })
  @ApiOperation({ operationId: 'refuseTaxpayer', summary: 'Refuse the TIN of the organisation' })
  @OkResponse(VerificationEvidenceDto)
  refuse(
    @Param() params: VerificationParams,
    @Body(readAs(RefuseTaxpayerDto)) { reason, tin, idType, idValue, status }: RefuseTaxpayerDto,
    @CurrentActor() actor: Actor,
  ): Promise<VerificationEvidenceDto> {
    const seen = { tin, idType, idValue, status };
    return this.decide({ ...readTarget(params), status: 'refused', reason, seen }, actor);
  }

  private decide(decision: OperatorDecision, actor: Actor): Promise<VerificationEvidence> {
    return this.database.change(async (tx) => {
      const isKnown = await tx.existsBy(Tenant, { tenantId: decision.tenantId });
      if (!isKnown) throw new DashboardError('not_found_here', { message: 'There is no such organisation' });
      return decide(tx, decision, actor);
    });
  }
}

/** @throws DashboardError (404) for a malformed id or an unknown environment */
function readTarget({ tenantId, environment }: VerificationParams): { tenantId: string; environment: Environment } {
  const known = ENVIRONMENTS.find((name) => name === environment);
  if (known !== undefined && isUuid(tenantId)) return { tenantId, environment: known };
  throw new DashboardError('not_found_here', { message: 'There is no such organisation or environment' });
}
