import { Controller, Get, HttpCode, HttpStatus } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../accounts/api-keys/api-key.hook.js';
import { ApiErrors } from '../../errors/api-errors.decorator.js';
import { AddRouteConfig } from '../../http/route-config.js';
import { LiveDto, ReadyDto } from './dto/health.dto.js';
import { DrainService } from './drain.service.js';
import { HealthService } from './health.service.js';

@ApiTags('Operations')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthService,
    private readonly drain: DrainService,
  ) {}

  @Get('live')
  @Public()
  @AddRouteConfig({ isHealthCheck: true })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'live',
    summary: 'Check whether the process runs',
    description: 'Needs no key and does not use the database.',
  })
  @ApiOkResponse({ type: LiveDto, description: 'The process runs.' })
  @ApiErrors('live')
  live(): LiveDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public()
  @AddRouteConfig({ isHealthCheck: true })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'ready',
    summary: 'Check whether the service is ready',
    description: 'Needs no key. Queries the database.',
  })
  @ApiOkResponse({ type: ReadyDto, description: 'The service is ready.' })
  @ApiErrors('ready')
  ready(): Promise<ReadyDto> {
    this.drain.assertIsServing();
    return this.health.ready();
  }
}
