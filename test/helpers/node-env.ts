/** Runs a function while NODE_ENV has a value, or is not set. A site reads it when it is created. */
export async function withNodeEnv<T>(value: string | undefined, run: () => T | Promise<T>): Promise<T> {
  const { NODE_ENV } = process.env;
  if (value === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = value;
  try {
    return await run();
  } finally {
    process.env.NODE_ENV = NODE_ENV;
  }
}
