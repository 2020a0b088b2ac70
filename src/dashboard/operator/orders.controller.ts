import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Actor } from '../../audit/audit.js';
import { readBody } from '../../common/validation/read-body.js';
import { compileShape } from '../../common/validation/shape.js';
import { PageQuery, readPage } from '../cursor.js';
import { Access, CurrentActor } from '../session/access.js';
import { ConfirmOrderDto, OperatorOrderDto, OperatorOrdersDto, RefuseOrderDto } from './dto/operator-orders.dto.js';
import { OperatorOrders } from './orders.service.js';

const CONFIRM_ORDER = compileShape(ConfirmOrderDto);
const REFUSE_ORDER = compileShape(RefuseOrderDto);

@ApiTags('Operators')
@Controller('dashboard/operator/orders')
export class OperatorOrdersController {
  constructor(private readonly orders: OperatorOrders) {}

  @Get()
  @Access('operator')
  @PageQuery()
  @ApiQuery({ name: 'status', required: false, enum: ['open', 'decided'], description: '`open` when left out.' })
  @ApiOperation({ operationId: 'listAllCreditOrders', summary: 'Orders of all organisations, the newest first' })
  @ApiOkResponse({ type: OperatorOrdersDto })
  list(@Query() query: { status?: unknown }): Promise<OperatorOrdersDto> {
    return this.orders.list(query.status !== 'decided', readPage(query));
  }

  @Post(':tenantId/:orderId/confirm')
  @HttpCode(HttpStatus.OK)
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiParam({ name: 'orderId', format: 'uuid' })
  @ApiOperation({ operationId: 'confirmCreditOrder', summary: 'It was paid: its credits are granted, once' })
  @ApiBody({ type: ConfirmOrderDto })
  @ApiOkResponse({ type: OperatorOrderDto })
  confirm(
    @Param() { tenantId, orderId }: { tenantId: string; orderId: string },
    @Body() body: unknown,
    @CurrentActor() actor: Actor,
  ): Promise<OperatorOrderDto> {
    const { lastDay } = readBody<ConfirmOrderDto>(CONFIRM_ORDER, body);
    return this.orders.confirm({ tenantId, orderId }, lastDay, actor);
  }

  @Post(':tenantId/:orderId/refuse')
  @HttpCode(HttpStatus.OK)
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiParam({ name: 'orderId', format: 'uuid' })
  @ApiOperation({ operationId: 'refuseCreditOrder', summary: 'It will not be paid: nothing is granted' })
  @ApiBody({ type: RefuseOrderDto })
  @ApiOkResponse({ type: OperatorOrderDto })
  refuse(
    @Param() { tenantId, orderId }: { tenantId: string; orderId: string },
    @Body() body: unknown,
    @CurrentActor() actor: Actor,
  ): Promise<OperatorOrderDto> {
    return this.orders.refuse({ tenantId, orderId }, readBody<RefuseOrderDto>(REFUSE_ORDER, body).reason, actor);
  }
}
