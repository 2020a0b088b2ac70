import { Controller, Get, HttpCode, HttpStatus, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ConfirmsAccess } from '../accounts/api-keys/access.hook.js';
import { CurrentCaller } from '../accounts/api-keys/current-caller.decorator.js';
import { ApiErrors } from '../errors/api-errors.decorator.js';
import type { Caller } from '../database/in-tenant.js';
import { ID_TYPES } from '../documents/identity.js';
import { OtherQueryNames } from '../http/known-parameters.guard.js';
import { LimitedAs } from '../rate-limits/rate-limit.hook.js';
import { TaxpayerCheckDto } from './dto/taxpayer-check.dto.js';
import { TaxpayerService } from './taxpayer.service.js';
import { OTHER_TIN_QUERY_NAMES, type TinQuery } from './tin-question.js';
import { type ApiError, ValidationError } from '../errors/api-error.js';
import { SUPPLIER_ERROR_EXAMPLES } from '../tenants/supplier-errors.js';

const ID_TYPE_MISSING = {
  pointer: '/idType',
  rule: 'id_incomplete',
  message: 'is required together with idValue',
  hint: 'send both idType and idValue, or neither to use the id of your latest document with that TIN',
};

const TIN_ERROR_EXAMPLES: readonly ApiError[] = [new ValidationError([ID_TYPE_MISSING]), ...SUPPLIER_ERROR_EXAMPLES];

@ApiTags('E-invoice')
@Controller('v1/einvoice')
export class TaxpayerController {
  constructor(private readonly taxpayers: TaxpayerService) {}

  @Get('validate-taxpayer-tin/:tin')
  @LimitedAs('tinChecks')
  @ConfirmsAccess()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'validateTaxpayerTin',
    summary: 'Validate a TIN',
    description:
      'Asks the authority whether a TIN and an id belong together. The authority needs both: without the two query ' +
      'parameters the id comes from your latest document to that TIN. Verdicts are cached, so check as often as you like. ' +
      'If there is no verdict, the response is 503 and never `valid: false`.',
  })
  @ApiParam({
    name: 'tin',
    description: 'Tax identification number; case, spaces and invisible characters do not matter.',
    schema: { type: 'string', example: 'C25845632020' },
  })
  @ApiQuery({
    name: 'idType',
    required: false,
    description: 'Scheme of the id; required together with `idValue`. Also accepted as `id_type`.',
    schema: { type: 'string', enum: [...ID_TYPES], example: 'BRN' },
  })
  @ApiQuery({
    name: 'idValue',
    required: false,
    description:
      'The id number, without a label; required together with `idType`. A BRN is sent as registered. Also accepted as ' +
      '`id_value`.',
    schema: { type: 'string', example: '201901234567' },
  })
  @OtherQueryNames(OTHER_TIN_QUERY_NAMES)
  @ApiOkResponse({ type: TaxpayerCheckDto, description: 'The verdict.' })
  @ApiErrors('taxpayer', { examples: TIN_ERROR_EXAMPLES })
  validate(
    @CurrentCaller() caller: Caller,
    @Param('tin') tin: string,
    @Query() query: TinQuery,
  ): Promise<TaxpayerCheckDto> {
    return this.taxpayers.validate(caller, tin, query);
  }
}
