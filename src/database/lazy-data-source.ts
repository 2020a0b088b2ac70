import type { DataSource } from 'typeorm';

/** A pool that opens on its first use and retries after a failure. The creator must call `close()`. */
export class LazyDataSource {
  private opening: Promise<DataSource> | null = null;

  constructor(private readonly dataSource: DataSource) {}

  async open(): Promise<DataSource> {
    this.opening ??= this.dataSource.initialize();
    try {
      return await this.opening;
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.opening?.catch(() => null);
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
