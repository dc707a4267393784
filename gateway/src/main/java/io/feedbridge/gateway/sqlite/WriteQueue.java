package io.feedbridge.gateway.sqlite;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;

/**
 * What waits for the writer, in two lanes, so that deliveries hold up nobody: their outcomes come
 * thousands at a time, as fast as subscribers answer, while somebody waits for each write that is
 * prompt (a ping for its acknowledgement, say). Either lane is bounded by itself, so neither takes
 * the other's room; a batch takes prompt writes first, and always some of the patient ones too.
 *
 * <p>Any thread may add; one thread takes.
 */
final class WriteQueue<W> {

  /** Who waits for a write. */
  enum Lane {
    /** Somebody outside, or a stage that goes on only then. */
    PROMPT,
    /** Deliveries, which are many and not in a hurry. */
    PATIENT
  }

  /** Of a batch, one part in so many is for patient writes even if prompt ones would fill it. */
  private static final int PATIENT_PART = 4;

  private final BlockingQueue<W> prompt;
  private final BlockingQueue<W> patient;

  /** At least one for each write that waits; one too many only makes the writer look. */
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

  /** Adds one; false if its lane is full. Never blocks. */
  boolean offer(W write, Lane lane) {
    boolean taken = lane(lane).offer(write);
    news.release();
    return taken;
  }

  /** Takes one back; false if it is not waiting any more. */
  boolean remove(W write, Lane lane) {
    return lane(lane).remove(write);
  }

  boolean isEmpty() {
    return prompt.isEmpty() && patient.isEmpty();
  }

  /**
   * Waits for something and moves up to so many into the batch; it may turn out to be nothing.
   *
   * @throws InterruptedException if the thread was interrupted while it waited
   */
  void take(List<W> batch, int most) throws InterruptedException {
    news.acquire();
    prompt.drainTo(batch, most - Math.min(patient.size(), most / PATIENT_PART));
    patient.drainTo(batch, most - batch.size());
    prompt.drainTo(batch, most - batch.size());
    // One fewer than were taken, since one was acquired above; the rest is told of nothing new.
    var unused = !batch.isEmpty() && news.tryAcquire(batch.size() - 1);
  }

  private BlockingQueue<W> lane(Lane lane) {
    return lane == Lane.PROMPT ? prompt : patient;
  }
}
