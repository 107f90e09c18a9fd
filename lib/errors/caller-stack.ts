/** JavaScript itself throws these for a defect of this package, whose stack is needed as it is. Subclasses are thrown on purpose. */
const DEFECTS: readonly unknown[] = [TypeError.prototype, ReferenceError.prototype, SyntaxError.prototype];

type Called = ((...args: never[]) => unknown) | (abstract new (...args: never[]) => unknown);

/**
 * Removes a function and the calls inside it from the stack of an error, so that the stack begins at the caller. Node prints the
 * line at which the stack of an uncaught error begins, and code of this package may be minified.
 */
export function beginAtCaller<E>(error: E, called: Called): E {
  if (error instanceof Error && !DEFECTS.includes(Object.getPrototypeOf(error))) Error.captureStackTrace(error, called);
  return error;
}

/** Settles as a promise of this package. The stack of an error begins at the `await` of the caller. */
export async function settleAtCaller<T>(result: Promise<T>): Promise<T> {
  return await result.catch((error: unknown) => {
    throw beginAtCaller(error, settleAtCaller);
  });
}

/** @returns an object whose methods throw errors that begin at the caller, see {@link beginAtCaller}. */
export function withCallerStacks<T extends object>(target: T): T {
  return new Proxy(target, {
    get(_, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return function called(...args: unknown[]) {
        try {
          const result = Reflect.apply(member, target, args);
          return result instanceof Promise ? settleAtCaller(result) : result;
        } catch (error) {
          throw beginAtCaller(error, called);
        }
      };
    },
  });
}
