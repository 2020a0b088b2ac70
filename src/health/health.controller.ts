import { Controller, Get, HttpCode, HttpStatus } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import { Public } from '../auth/api-key.guard.js';
import { LiveDto, ReadyDto } from './dto/health.dto.js';
import { HealthService } from './health.service.js';

@ApiTags('Operations')
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('live')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ operationId: 'live', summary: 'Whether the process runs' })
  @ApiOkResponse({ type: LiveDto })
  live(): LiveDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ operationId: 'ready', summary: 'Whether the service can take requests' })
  @ApiOkResponse({ type: ReadyDto })
  @ApiServiceUnavailableResponse({ description: 'The database cannot be reached, or its migrations are missing.' })
  ready(): Promise<ReadyDto> {
    return this.health.ready();
  }
}
