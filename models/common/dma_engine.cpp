// SPDX-License-Identifier: Apache-2.0
#include "models/common/dma_engine.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace nicsim::models {

struct DmaEngine::Job {
    ChannelState* channel = nullptr;
    bool is_write = false;
    std::vector<DmaSegment> pieces;  ///< keeps its capacity from job to job
    std::size_t piece = 0;           ///< being cut
    std::uint32_t offset = 0;        ///< in it
    std::uint8_t* destination = nullptr;
    std::vector<std::uint8_t> data;  ///< of a write
    std::uint32_t position = 0;      ///< bytes issued
    unsigned outstanding = 0;        ///< requests issued and not answered
    bool ok = true;
    Done done;
    std::uint64_t cookie = 0;

    [[nodiscard]] bool all_issued() const { return piece == pieces.size(); }
};

/// One transaction with its own buffer, so that an answer that nobody waits for any more does no
/// harm. The payload owns the attributes.
struct DmaEngine::Request : tlm::tlm_generic_payload {
    Request() : attributes(new sim::DmaAttributes), buffer(4096) { set_extension(attributes); }

    sim::DmaAttributes* attributes;
    std::vector<std::uint8_t> buffer;
    ChannelState* channel = nullptr;
    Job* job = nullptr;  ///< null: forgotten by reset()
    std::uint8_t* destination = nullptr;
};

class DmaEngine::RequestPool : public tlm::tlm_mm_interface {
public:
    Request& make() {
        if (free_.empty()) {
            all_.push_back(std::make_unique<Request>());
            all_.back()->set_mm(this);
            free_.push_back(all_.back().get());
        }
        Request* request = free_.back();
        free_.pop_back();
        request->acquire();
        return *request;
    }
    void free(tlm::tlm_generic_payload* payload) override {
        payload->reset();  // drops what the bus attached
        free_.push_back(static_cast<Request*>(payload));
    }
    void forget_jobs() {
        for (auto& request : all_) request->job = nullptr;
    }

private:
    std::vector<std::unique_ptr<Request>> all_;
    std::vector<Request*> free_;
};

struct DmaEngine::ChannelState {
    ChannelState(DmaChannelConfig c, const std::string& path)
        : config(std::move(c)), reads_probe(path + "." + config.name + ".reads_in_flight", 8) {}

    [[nodiscard]] bool may_issue() const {
        if (jobs.empty()) return false;
        return jobs.front()->is_write || in_flight < config.max_reads_in_flight;
    }

    DmaChannelConfig config;
    sim::RingQueue<Job*> jobs;  ///< with requests still to be issued
    unsigned in_flight = 0;     ///< reads
    sim::Callback<> ready;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t bytes = 0;
    sim::Probe reads_probe;
};

DmaEngine::DmaEngine(const sc_core::sc_module_name& name, const DmaEngineConfig& config)
    : sc_module(name), config_(config), requests_(std::make_unique<RequestPool>()) {
    socket.bind(*this);
}

DmaEngine::~DmaEngine() = default;

DmaEngine::Channel DmaEngine::add_channel(const DmaChannelConfig& config) {
    const auto channel = static_cast<Channel>(channels_.size());
    channels_.push_back(std::make_unique<ChannelState>(config, sc_module::name()));
    order_.push_back(channel);
    std::stable_sort(order_.begin(), order_.end(), [this](unsigned a, unsigned b) {
        return channels_[a]->config.priority < channels_[b]->config.priority;
    });
    return channel;
}

void DmaEngine::on_ready(Channel channel, sim::Callback<> callback) {
    channels_[channel]->ready = callback;
}

DmaEngine::Job* DmaEngine::make_job(Channel channel, Done done, std::uint64_t cookie) {
    if (free_jobs_.empty()) {
        jobs_.push_back(std::make_unique<Job>());
        free_jobs_.push_back(jobs_.back().get());
    }
    Job* job = free_jobs_.back();
    free_jobs_.pop_back();
    job->channel = channels_[channel].get();
    job->pieces.clear();
    job->piece = 0;
    job->offset = 0;
    job->position = 0;
    job->outstanding = 0;
    job->ok = true;
    job->done = done;
    job->cookie = cookie;
    return job;
}

void DmaEngine::read(Channel channel, std::span<const DmaSegment> pieces, std::uint8_t* destination,
                     Done done, std::uint64_t cookie) {
    Job* job = make_job(channel, done, cookie);
    job->is_write = false;
    for (const DmaSegment& piece : pieces)
        if (piece.length != 0) job->pieces.push_back(piece);
    assert(!job->pieces.empty());
    job->destination = destination;
    job->channel->jobs.push(job);
    pump();
}

void DmaEngine::write(Channel channel, std::span<const DmaSegment> pieces,
                      std::span<const std::uint8_t> data, Done done, std::uint64_t cookie) {
    assert(!data.empty());
    Job* job = make_job(channel, done, cookie);
    job->is_write = true;
    job->pieces.assign(pieces.begin(), pieces.end());
    job->data.assign(data.begin(), data.end());
    job->channel->jobs.push(job);
    pump();
}

void DmaEngine::write(Channel channel, std::uint64_t address, std::span<const std::uint8_t> data,
                      Done done, std::uint64_t cookie) {
    const DmaSegment piece{address, static_cast<std::uint32_t>(data.size())};
    write(channel, {&piece, 1}, data, done, cookie);
}

bool DmaEngine::ready(Channel channel) const {
    const ChannelState& c = *channels_[channel];
    return c.jobs.empty() && c.in_flight < c.config.max_reads_in_flight;
}

bool DmaEngine::pending_above(Channel channel) const {
    const unsigned priority = channels_[channel]->config.priority;
    return std::any_of(channels_.begin(), channels_.end(), [priority](const auto& c) {
        return c->config.priority < priority && !c->jobs.empty();
    });
}

unsigned DmaEngine::reads_in_flight(Channel channel) const {
    return channels_[channel]->in_flight;
}

void DmaEngine::set_max_reads_in_flight(Channel channel, unsigned reads) {
    channels_[channel]->config.max_reads_in_flight = reads;
    pump();
}

void DmaEngine::set_limits(const sim::BusLimits& limits) {
    limits_ = limits;
    pump();
}

void DmaEngine::reset() {
    for (auto& channel : channels_) channel->jobs.clear();
    requests_->forget_jobs();
    free_jobs_.clear();
    for (auto& job : jobs_) free_jobs_.push_back(job.get());
}

std::uint32_t DmaEngine::cut(std::uint64_t address, std::uint32_t left, std::uint32_t limit) const {
    const std::uint64_t to_boundary = limits_.boundary - address % limits_.boundary;
    const auto allowed = static_cast<std::uint32_t>(std::min<std::uint64_t>(limit, to_boundary));
    if (left <= allowed) return left;
    const std::uint64_t line_end = (address + allowed) / config_.line_bytes * config_.line_bytes;
    return line_end > address ? static_cast<std::uint32_t>(line_end - address) : allowed;
}

DmaEngine::ChannelState* DmaEngine::next_channel() {
    for (const unsigned c : order_)
        if (channels_[c]->may_issue()) return channels_[c].get();
    return nullptr;
}

void DmaEngine::pump() {
    if (pumping_) {
        again_ = true;
        return;
    }
    pumping_ = true;
    do {
        again_ = false;
        while (waiting_ == nullptr && limits_.bus_master) {
            ChannelState* channel = next_channel();
            if (channel == nullptr) break;
            issue(*channel);
        }
        tell_ready();
    } while (again_);
    pumping_ = false;
}

void DmaEngine::tell_ready() {
    for (const unsigned c : order_)
        if (channels_[c]->ready && ready(c)) channels_[c]->ready();
}

void DmaEngine::issue(ChannelState& channel) {
    Job& job = *channel.jobs.front();
    const DmaSegment piece = job.pieces[job.piece];
    const std::uint64_t address = piece.address + job.offset;
    const std::uint32_t limit = job.is_write
                                    ? std::min(config_.max_write_bytes, limits_.max_payload)
                                    : std::min(config_.max_read_bytes, limits_.max_read_request);
    const std::uint32_t length = cut(address, piece.length - job.offset, limit);

    Request& request = requests_->make();
    if (request.buffer.size() < length) request.buffer.resize(length);
    request.channel = &channel;
    request.job = &job;
    request.destination = job.is_write ? nullptr : job.destination + job.position;
    request.attributes->purpose = channel.config.purpose;
    request.attributes->relaxed_ordering = channel.config.relaxed_ordering;
    request.set_command(job.is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    request.set_address(address);
    request.set_data_ptr(request.buffer.data());
    request.set_data_length(length);
    request.set_streaming_width(length);
    request.set_byte_enable_ptr(nullptr);
    request.set_dmi_allowed(false);
    request.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    if (job.is_write) {
        std::memcpy(request.buffer.data(), job.data.data() + job.position, length);
        ++channel.writes;
    } else {
        ++channel.reads;
        channel.reads_probe.set(++channel.in_flight);
    }
    channel.bytes += length;

    job.position += length;
    job.offset += length;
    ++job.outstanding;
    if (job.offset == piece.length) {
        ++job.piece;
        job.offset = 0;
    }
    if (job.all_issued()) channel.jobs.pop();
    send(request);
}

void DmaEngine::send(Request& request) {
    waiting_ = &request;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    switch (socket->nb_transport_fw(request, phase, delay)) {
        case tlm::TLM_ACCEPTED:  // END_REQ or BEGIN_RESP comes later
            return;
        case tlm::TLM_UPDATED:
            if (waiting_ == &request) waiting_ = nullptr;
            if (phase != tlm::BEGIN_RESP) return;
            phase = tlm::END_RESP;
            complete(request);
            socket->nb_transport_fw(request, phase, delay);
            request.release();
            return;
        case tlm::TLM_COMPLETED:
            if (waiting_ == &request) waiting_ = nullptr;
            complete(request);
            request.release();
            return;
    }
}

tlm::tlm_sync_enum DmaEngine::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                              tlm::tlm_phase& phase, sc_core::sc_time&) {
    auto& request = static_cast<Request&>(payload);
    if (waiting_ == &request) waiting_ = nullptr;
    if (phase != tlm::BEGIN_RESP) {
        pump();
        return tlm::TLM_ACCEPTED;
    }
    complete(request);
    pump();
    // Only now, so that the bus does not meet this payload again inside of its own call.
    request.release();
    return tlm::TLM_COMPLETED;
}

void DmaEngine::complete(Request& request) {
    const bool ok = request.is_response_ok();
    if (!ok) ++errors_;
    if (request.is_read()) {
        ChannelState& channel = *request.channel;
        channel.reads_probe.set(--channel.in_flight);
    }
    if (request.job == nullptr) return;
    Job& job = *request.job;
    request.job = nullptr;
    if (!job.is_write) {
        if (ok)
            std::memcpy(request.destination, request.get_data_ptr(), request.get_data_length());
        else
            std::memset(request.destination, 0xff, request.get_data_length());
    }
    job.ok = job.ok && ok;
    if (--job.outstanding != 0 || !job.all_issued()) return;
    const Done done = job.done;
    const std::uint64_t cookie = job.cookie;
    const bool job_ok = job.ok;
    free_jobs_.push_back(&job);
    if (done) done(cookie, job_ok);
}

void DmaEngine::register_stats(sim::StatGroup& group) {
    for (const auto& channel : channels_) {
        sim::StatGroup& g = group.group(channel->config.name);
        g.counter("reads", "requests", "Read requests issued.", channel->reads);
        g.counter("writes", "requests", "Write requests issued.", channel->writes);
        g.counter("bytes", "B", "Bytes read or written.", channel->bytes);
    }
    group.counter("errors", "requests", "Requests that the bus answered with an error.", errors_);
}

}  // namespace nicsim::models
