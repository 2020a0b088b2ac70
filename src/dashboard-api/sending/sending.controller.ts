import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import { LimitedAs } from '../../rate-limits/rate-limit.hook.js';
import { TaxpayerCheckDto } from '../../taxpayer/dto/taxpayer-check.dto.js';
import { TaxpayerService } from '../../taxpayer/taxpayer.service.js';
import { readAs } from '../../http/validation/read-body.js';
import { OrganisationEnvironmentParams } from '../parameters.js';
import { CompressedResponse, OkResponse } from '../responses.js';
import { Access, MemberAsCaller } from '../session/access.js';
import { NextNumberDto, RememberedDto, TinCheckDto } from './dto/sending.dto.js';
import { NextNumbersService } from './next-numbers.service.js';
import { RememberedService } from './remembered.service.js';

/** Suggestions and checks for forms. */
@ApiTags('Sending by hand')
@OrganisationEnvironmentParams()
@Controller('dashboard/organisations/:tenantId/:environment')
export class SendingController {
  constructor(
    private readonly remembered: RememberedService,
    private readonly nextNumbers: NextNumbersService,
    private readonly taxpayers: TaxpayerService,
  ) {}

  @Get('remembered')
  @Access('viewer')
  @ApiOperation({ operationId: 'getRemembered', summary: 'List buyers and items of the latest valid invoices' })
  @CompressedResponse(RememberedDto)
  show(@MemberAsCaller() caller: AuthenticatedCaller): Promise<RememberedDto> {
    return this.remembered.read(caller);
  }

  @Get('next-numbers')
  @Access('viewer')
  @ApiOperation({ operationId: 'getNextNumbers', summary: 'Suggest an unused number per document type' })
  @CompressedResponse([NextNumberDto])
  suggestNumbers(@MemberAsCaller() caller: AuthenticatedCaller): Promise<NextNumberDto[]> {
    return this.nextNumbers.read(caller);
  }

  // A POST request, because it may call the authority and therefore needs CSRF protection.
  @Post('tin-checks')
  @Access('member')
  @LimitedAs('tinChecks')
  @ApiOperation({ operationId: 'checkTin', summary: 'Check whether a TIN and an id belong together' })
  @OkResponse(TaxpayerCheckDto)
  check(
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Body(readAs(TinCheckDto)) { tin, idType, idValue }: TinCheckDto,
  ): Promise<TaxpayerCheckDto> {
    return this.taxpayers.validate(caller, tin, { idType, idValue });
  }
}
