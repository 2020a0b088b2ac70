import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import { readAs } from '../../http/validation/read-body.js';
import { OrganisationEnvironmentParams, parseId } from '../parameters.js';
import { CompressedResponse, NoContentResponse, OkResponse } from '../responses.js';
import { Access, CurrentMember, type Member, MemberAsCaller } from '../session/access.js';
import { DismissDto, DismissedDto, NeedsActionDto } from './dto/needs-action.dto.js';
import { NeedsActionService } from './needs-action.service.js';

@ApiTags('Needs action')
@OrganisationEnvironmentParams()
@Controller('dashboard/organisations/:tenantId/:environment')
export class NeedsActionController {
  constructor(private readonly needsAction: NeedsActionService) {}

  @Get('needs-action')
  @Access('viewer')
  @ApiOperation({ operationId: 'getNeedsAction', summary: 'List failed documents by cause' })
  @CompressedResponse(NeedsActionDto)
  show(@MemberAsCaller() caller: AuthenticatedCaller): Promise<NeedsActionDto> {
    return this.needsAction.read(caller);
  }

  @Post('dismissals')
  @Access('member')
  @ApiOperation({ operationId: 'dismissDocuments', summary: 'Dismiss failed documents with a reason' })
  @OkResponse(DismissedDto)
  dismiss(
    @CurrentMember() member: Member,
    @MemberAsCaller() { environment }: AuthenticatedCaller,
    @Body(readAs(DismissDto)) body: DismissDto,
  ): Promise<DismissedDto> {
    return this.needsAction.dismiss({ member, environment }, body);
  }

  @Delete('dismissals/:transactionId')
  @Access('member')
  @ApiOperation({ operationId: 'takeBackDismissal', summary: 'Take back the dismissal of a document' })
  @ApiParam({ name: 'transactionId', schema: { type: 'string', format: 'uuid' } })
  @NoContentResponse()
  takeBack(
    @CurrentMember() member: Member,
    @MemberAsCaller() { environment }: AuthenticatedCaller,
    @Param('transactionId') transactionId: string,
  ): Promise<void> {
    return this.needsAction.takeBack({ member, environment }, parseId(transactionId));
  }
}
