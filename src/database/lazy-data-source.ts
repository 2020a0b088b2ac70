import type { DataSource } from 'typeorm';

/** A pool that its first use opens; where that fails, the next one tries again. Who makes it closes it. */
export class LazyDataSource {
  private opening: Promise<DataSource> | null = null;

  constructor(private readonly dataSource: DataSource) {}

  /** @throws what opening it throws */
  async open(): Promise<DataSource> {
    this.opening ??= this.dataSource.initialize();
    try {
      return await this.opening;
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }

  /** Also while it is being opened. */
  async close(): Promise<void> {
    await this.opening?.catch(() => null);
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
