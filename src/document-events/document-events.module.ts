import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ConsumersLoop } from './consumers.loop.js';
import { DeliverLoop } from './deliver.loop.js';

@Module({ imports: [DiscoveryModule], providers: [ConsumersLoop, DeliverLoop] })
export class DocumentEventsModule {}
