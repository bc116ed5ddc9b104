// SPDX-License-Identifier: Apache-2.0
#include "pcie/tlp_capture.h"

#include <fmt/format.h>

#include <algorithm>

namespace nicsim::pcie {
namespace {

constexpr std::size_t window_lines = 256;

bool later(sim::Ps a, std::uint64_t a_number, sim::Ps b, std::uint64_t b_number) {
    return a != b ? a > b : a_number > b_number;
}

std::string id_text(std::uint16_t id) {
    const Bdf f = bdf_of(id);
    return fmt::format("{:02x}:{:02x}.{}", f.bus, f.device, f.function);
}

const char* status_text(CompletionStatus status) {
    switch (status) {
        case CompletionStatus::successful:
            return "SC";
        case CompletionStatus::unsupported_request:
            return "UR";
        case CompletionStatus::configuration_retry:
            return "CRS";
        case CompletionStatus::completer_abort:
            return "CA";
    }
    return "?";
}

const char* message_text(std::uint8_t code) {
    switch (code) {
        case message::err_cor:
            return "ERR_COR";
        case message::err_nonfatal:
            return "ERR_NONFATAL";
        case message::err_fatal:
            return "ERR_FATAL";
        default:
            return "other";
    }
}

/// `up`, or `name.up` on any link but the one called `link`.
std::string where(const LinkDirection& d) {
    const std::string_view link = d.link().basename();
    return link == "link" ? name_of(d.heading()) : fmt::format("{}.{}", link, name_of(d.heading()));
}

std::string credit_text(const CreditAccount& account, FlowClass flow) {
    if (account.infinite(flow)) return "infinite";
    return fmt::format("{}/{}", account.header(flow), account.data(flow));
}

std::string time_text(sim::Ps t) {
    return fmt::format("{}.{:06}", t / sim::ps_per_us, t % sim::ps_per_us);
}

std::string attributes_text(const Tlp& t) {
    std::string out;
    const auto flag = [&out](bool set, const char* name) {
        if (set) out += fmt::format(" {}", name);
    };
    flag(t.relaxed_ordering, "RO");
    flag(t.id_based_ordering, "IDO");
    flag(t.no_snoop, "NS");
    flag(t.poisoned, "EP");
    flag(t.digest, "TD");
    return out;
}

std::string header_text(const Tlp& t) {
    switch (t.type) {
        case TlpType::MRd:
        case TlpType::MWr:
            return fmt::format("addr {:#x} {} DW be {:x}/{:x} req {} tag {}", t.address,
                               t.length_dw, t.first_be, t.last_be, id_text(t.requester_id), t.tag);
        case TlpType::CfgRd0:
        case TlpType::CfgWr0:
            return fmt::format("to {} reg {:#05x} be {:x} req {} tag {}", id_text(id_of(t.target)),
                               t.address, t.first_be, id_text(t.requester_id), t.tag);
        case TlpType::Cpl:
        case TlpType::CplD:
            return fmt::format("{} {} DW count {} low {:#04x} from {} to {} tag {}",
                               status_text(t.status), t.has_data() ? t.length_dw : 0, t.byte_count,
                               t.lower_address, id_text(t.completer_id), id_text(t.requester_id),
                               t.tag);
        case TlpType::Msg:
            return fmt::format("{} from {}", message_text(t.message_code), id_text(t.requester_id));
    }
    return {};
}

std::string header_json(const Tlp& t) {
    std::string out = fmt::format(R"("requester":"{}","tag":{})", id_text(t.requester_id), t.tag);
    switch (t.type) {
        case TlpType::CfgRd0:
        case TlpType::CfgWr0:
            out += fmt::format(R"(,"target":"{}")", id_text(id_of(t.target)));
            [[fallthrough]];
        case TlpType::MRd:
        case TlpType::MWr:
            out += fmt::format(R"(,"address":"{:#x}","dw":{},"first_be":{},"last_be":{})",
                               t.address, t.length_dw, t.first_be, t.last_be);
            break;
        case TlpType::Cpl:
        case TlpType::CplD:
            out += fmt::format(
                R"(,"completer":"{}","status":"{}","dw":{},"byte_count":{},"lower_address":{})",
                id_text(t.completer_id), status_text(t.status), t.has_data() ? t.length_dw : 0,
                t.byte_count, t.lower_address);
            break;
        case TlpType::Msg:
            out += fmt::format(R"(,"message":"{}")", message_text(t.message_code));
            break;
    }
    const auto flag = [&out](bool set, const char* name) {
        if (set) out += fmt::format(R"(,"{}":true)", name);
    };
    flag(t.relaxed_ordering, "ro");
    flag(t.id_based_ordering, "ido");
    flag(t.no_snoop, "ns");
    flag(t.poisoned, "ep");
    flag(t.digest, "td");
    return out;
}

std::uint32_t key(const Tlp& t) {
    return std::uint32_t{t.requester_id} << 16U | t.tag;
}

}  // namespace

TlpCapture::TlpCapture(CaptureFormat format, TlpFilter filter, Sink sink)
    : format_(format), filter_(std::move(filter)), sink_(std::move(sink)) {
    if (format_ == CaptureFormat::text)
        sink_(
            "#      time/us  direction event     type    bytes  header | purpose | credits "
            "header/data | queue\n");
}

void TlpCapture::add(sim::Ps time, std::string text) {
    const auto order = [](const Line& a, const Line& b) {
        return later(a.time, a.number, b.time, b.number);
    };
    window_.push_back({time, numbered_++, std::move(text)});
    std::push_heap(window_.begin(), window_.end(), order);
    if (window_.size() <= window_lines) return;
    std::pop_heap(window_.begin(), window_.end(), order);
    sink_(window_.back().text);
    window_.pop_back();
    ++lines_;
}

void TlpCapture::finish() {
    std::sort(window_.begin(), window_.end(), [](const Line& a, const Line& b) {
        return later(b.time, b.number, a.time, a.number);
    });
    for (const Line& l : window_) sink_(l.text);
    lines_ += window_.size();
    window_.clear();
}

std::optional<TlpCapture::Request> TlpCapture::request_of(const Tlp& tlp) const {
    if (tlp.is_memory()) return Request{tlp.address, std::uint64_t{tlp.length_dw} * 4U};
    if (!tlp.is_completion()) return {};
    const auto found = requests_.find(key(tlp));
    if (found == requests_.end()) return {};
    return found->second;
}

void TlpCapture::event(CaptureEvent what, const LinkDirection& d, const Tlp& tlp, sim::Ps start,
                       sim::Ps end, const char* why) {
    const auto request = request_of(tlp);
    if (!filter_.shows_link(d.link().basename()) ||
        !filter_.shows(what, d.heading(), tlp, start,
                       request ? std::optional(request->address) : std::nullopt,
                       request ? request->length : 0))
        return;
    const FlowClass flow = tlp.flow_class();
    if (format_ == CaptureFormat::text) {
        add(start,
            fmt::format("{:>15} {:>9} {:<9} {:<6} {:>6}  {}{}{} | {} | {} | {}\n", time_text(start),
                        where(d), name_of(what), name_of(tlp.type), tlp.wire_bytes(),
                        header_text(tlp), attributes_text(tlp),
                        why != nullptr ? fmt::format(" ({})", why) : std::string(),
                        sim::name_of(tlp.purpose), credit_text(d.account(), flow), d.queued()));
        return;
    }
    std::string line = fmt::format(
        R"({{"t_ps":{},"end_ps":{},"direction":"{}","event":"{}","type":"{}","wire_bytes":{},)",
        start, end, where(d), name_of(what), name_of(tlp.type), tlp.wire_bytes());
    line += header_json(tlp);
    if (why != nullptr) line += fmt::format(R"(,"why":"{}")", why);
    line += fmt::format(R"(,"purpose":"{}","queued":{})", sim::name_of(tlp.purpose), d.queued());
    if (d.account().infinite(flow))
        line += R"(,"credits":null)";
    else
        line += fmt::format(R"(,"credits":{{"header":{},"data":{}}})", d.account().header(flow),
                            d.account().data(flow));
    add(start, line + "}\n");
}

void TlpCapture::queued(const LinkDirection&, const Tlp& tlp) {
    if (tlp.type == TlpType::MRd)
        requests_[key(tlp)] = {tlp.address, std::uint64_t{tlp.length_dw} * 4U};
}

void TlpCapture::sent(const LinkDirection& d, const Tlp& tlp, sim::Ps start, sim::Ps end) {
    event(CaptureEvent::sent, d, tlp, start, end, nullptr);
}

void TlpCapture::resent(const LinkDirection& d, const Tlp& tlp, sim::Ps start, sim::Ps end) {
    event(CaptureEvent::resent, d, tlp, start, end, nullptr);
}

void TlpCapture::discarded(const LinkDirection& d, const Tlp& tlp, const char* why) {
    event(CaptureEvent::discarded, d, tlp, sim::now(), sim::now(), why);
}

void TlpCapture::lost(const LinkDirection& d, const Tlp& tlp) {
    event(CaptureEvent::lost, d, tlp, sim::now(), sim::now(), nullptr);
}

void TlpCapture::dllp(const LinkDirection& d, const Dllp& p) {
    if (!filter_.shows_dllp(d.heading(), p.start) || !filter_.shows_link(d.link().basename()))
        return;
    const bool update = p.kind == Dllp::Kind::update_fc;
    const char* kind = update ? "UpdateFC" : p.kind == Dllp::Kind::nak ? "NAK" : "ACK";
    if (format_ == CaptureFormat::text) {
        add(p.start,
            fmt::format("{:>15} {:>9} {:<9} {:<8} {:>4}  {}\n", time_text(p.start), where(d),
                        "dllp", kind, dllp_bytes,
                        update ? fmt::format("{} +{}/+{}", name_of(p.flow), p.header, p.data)
                               : fmt::format("sequence {}", p.sequence)));
        return;
    }
    add(p.start, fmt::format(R"({{"t_ps":{},"direction":"{}","event":"dllp","type":"{}",)", p.start,
                             where(d), kind) +
                     (update ? fmt::format(R"("class":"{}","header":{},"data":{}}})",
                                           name_of(p.flow), p.header, p.data)
                             : fmt::format(R"("sequence":{}}})", p.sequence)) +
                     "\n");
}

void TlpCapture::link_down(const LinkDirection& d) {
    if (!filter_.shows_link(d.link().basename())) return;
    if (format_ == CaptureFormat::text)
        add(sim::now(), fmt::format("{:>15} {:>9} link down\n", time_text(sim::now()), where(d)));
    else
        add(sim::now(), fmt::format(R"({{"t_ps":{},"direction":"{}","event":"link_down"}})",
                                    sim::now(), where(d)) +
                            "\n");
}

}  // namespace nicsim::pcie
