package io.feedbridge.gateway.store.sql.commit;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;

/**
 * The writes that wait for the writer, in two lanes, so that outcomes of deliveries hold up no
 * caller: outcomes come thousands at a time, as fast as subscribers answer, while a caller waits
 * for each prompt write (a ping for its acknowledgement, for example). Each lane has a bound of its
 * own, so neither takes the room of the other. A batch takes prompt writes first, and always some
 * patient writes too.
 *
 * <p>Any thread may add; one thread takes.
 */
public final class WriteQueue<W> {

  /** The lane of a write, by the caller that waits for it. */
  public enum Lane {
    /** A request from outside waits for the write, or a stage that continues only after it. */
    PROMPT,
    /** Outcomes of deliveries, which are many and not urgent. */
    PATIENT
  }

  /**
   * This part of a batch (one quarter) is for patient writes even if prompt writes would fill it.
   */
  private static final int PATIENT_PART = 4;

  private final BlockingQueue<W> prompt;
  private final BlockingQueue<W> patient;

  /** At least one permit for each waiting write; a surplus permit only makes the writer look. */
  private final Semaphore news = new Semaphore(0);

  /**
   * An empty queue.
   *
   * @param most writes that may wait in each lane
   */
  WriteQueue(int most) {
    prompt = new ArrayBlockingQueue<>(most);
    patient = new ArrayBlockingQueue<>(most);
  }

  /** Adds a write; false if its lane is full. Never blocks. */
  boolean offer(W write, Lane lane) {
    boolean taken = lane(lane).offer(write);
    news.release();
    return taken;
  }

  /** Takes a write back; false if it no longer waits. */
  boolean remove(W write, Lane lane) {
    return lane(lane).remove(write);
  }

  boolean isEmpty() {
    return prompt.isEmpty() && patient.isEmpty();
  }

  /**
   * Waits for a write and moves up to {@code most} writes into the batch, which may stay empty.
   *
   * @throws InterruptedException if the thread was interrupted while it waited
   */
  void take(List<W> batch, int most) throws InterruptedException {
    news.acquire();
    prompt.drainTo(batch, most - Math.min(patient.size(), most / PATIENT_PART));
    patient.drainTo(batch, most - batch.size());
    prompt.drainTo(batch, most - batch.size());
    // One permit fewer than the taken writes is acquired here, since one was acquired above.
    var unused = !batch.isEmpty() && news.tryAcquire(batch.size() - 1);
  }

  private BlockingQueue<W> lane(Lane lane) {
    return lane == Lane.PROMPT ? prompt : patient;
  }
}
