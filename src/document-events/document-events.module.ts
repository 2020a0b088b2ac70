import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DeliverLoop } from './deliver.loop.js';

/** What brings document events to the consumers that other modules provide. */
@Module({ imports: [DiscoveryModule], providers: [DeliverLoop] })
export class DocumentEventsModule {}
