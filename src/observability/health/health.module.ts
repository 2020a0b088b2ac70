import { Module } from '@nestjs/common';
import { DrainService } from './drain.service.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';

@Module({ controllers: [HealthController], providers: [DrainService, HealthService] })
export class HealthModule {}
